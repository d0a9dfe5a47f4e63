# The second example: error of the joint force in the first steps, by starting values.
#     gnuplot -e "data='results/transient.dat'; svg='results/transient.svg'" tools/plots/transient.gp
set encoding utf8
set terminal svg size 760,420 noenhanced font "Helvetica,14" background "white"
set output svg
set border 3
set tics nomirror out
set grid ytics lc rgb "#dddddd"
set linetype 1 lc rgb "#d55e00" lw 2
set linetype 2 lc rgb "#e69f00" lw 2
set linetype 3 lc rgb "#009e73" lw 2
set linetype 4 lc rgb "#0072b2" lw 2
unset key
set logscale y
set format y "%g"
set xrange [0:100]
set yrange [0.05:100]
set xlabel "time t [ms] = number of steps, h = 1 ms"
set ylabel "error of the joint force [N]" offset 1
set rmargin 4
set label "naive, ρ∞ = 0.9" at 30,34 tc lt 1
set label "naive, ρ∞ = 0.6" at 10.5,5.5 tc lt 2
set label "perturbed, ρ∞ = 0.9" at 36,0.085 tc lt 4
set label "stabilised index 2, ρ∞ = 0.9" at 52,0.17 tc lt 3
plot data index 0 every ::0::100 with lines lt 1, data index 1 every ::0::100 with lines lt 2, \
     data index 3 every ::0::100 with lines lt 4, data index 2 every ::0::100 with lines lt 3
