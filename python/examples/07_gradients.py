"""Gradients of runs: a result and its derivatives, a search with them, and a run as a function of PyTorch."""

import dalembert

# where is the top, and how does that depend on its mass and its spin?
found = dalembert.gradient("heavy_top", "final(top.position.x)", ["m", "spin"], t_end=0.1)
print("x =", found["final(top.position.x)"], "dx/d(m, spin) =", found.jacobian[0])

# the length and the energy with which a pendulum is at (0.6, -0.7) after half a second
goal = "(final(mass.position.x) - 0.6)^2 + (final(mass.position.y) + 0.7)^2"
f = dalembert.value_and_grad("pendulum", goal, ["L", "E"], t_end=0.5)
try:
    from scipy.optimize import minimize

    best = minimize(f, [1.0, -8.0], jac=True, method="L-BFGS-B", bounds=[(0.5, 2), (-20, 20)])
    print("by scipy: L, E =", best.x, "off by", best.fun**0.5)
except ImportError:  # not a dependency: the same by Gauss and Newton
    import numpy as np

    miss = dalembert.Gradient("pendulum", ["final(mass.position.x)", "final(mass.position.y)"], ["L", "E"], t_end=0.5)
    x = np.array([1.0, -8.0])
    for _ in range(8):
        s = miss(x)
        x -= np.linalg.solve(s.jacobian, s.values - [0.6, -0.7])
    print("by Gauss and Newton: L, E =", x, "off by", f(x)[0] ** 0.5)

try:
    import torch

    class Run(torch.autograd.Function):
        """The goal as a function of a tensor, for losses that go on from there."""

        @staticmethod
        def forward(ctx, numbers):
            value, slope = f(numbers.detach().numpy())
            ctx.save_for_backward(torch.from_numpy(slope.copy()))
            return numbers.new_tensor(value)

        @staticmethod
        def backward(ctx, weight):
            return weight * ctx.saved_tensors[0]

    numbers = torch.tensor([1.0, -8.0], dtype=torch.float64, requires_grad=True)
    torch.log(Run.apply(numbers) + 1e-6).backward()
    print("by torch: gradient of the logarithm", numbers.grad)
except ImportError:
    print("torch is not installed")
