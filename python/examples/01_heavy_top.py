"""The heavy top: simulate a built-in model, look at numbers, draw and save them."""

import dalembert

result = dalembert.simulate("heavy_top", t_end=1, h=1e-3, method="ggl")
print(result)
print("centre of mass at the end:", result["top.position"][-1])
print("largest force in the tip:", abs(result["tip.force"]).max(), "N")
print("energy kept to", abs(result["energy"] - result["energy"][0]).max(), "J")

result.save("heavy_top.h5")  # tables, as the tool writes them
result.html("heavy_top.html")  # open it in a browser: the top spins
