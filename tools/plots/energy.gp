# Error of the energy over long runs, data of plot_energy.
#     gnuplot -e "data='energy.dat'; svg='energy.svg'" tools/plots/energy.gp
set encoding utf8
set terminal svg size 760,420 noenhanced font "Helvetica,14" background "white"
set output svg
set border 3
set tics nomirror out
set grid ytics lc rgb "#dddddd"
set linetype 1 lc rgb "#d55e00" lw 2
set linetype 2 lc rgb "#e69f00" lw 2
set linetype 3 lc rgb "#009e73" lw 2
set linetype 4 lc rgb "#56b4e9" lw 2
set linetype 5 lc rgb "#0072b2" lw 2
unset key
set logscale y
set format y "10^{%T}"
set termoption enhanced
set ylabel "relative error of the energy"
set multiplot layout 1,2
set lmargin 9
set rmargin 2
set title "nonholonomic particle" font ",14"
set xlabel "time t"
set yrange [1e-9:1e-3]
set xtics 0,250,1000
set label "generalized-α, h = 0.02" at 60,1.2e-4 tc lt 1
set label "3 stages, h = 0.1" at 540,8.5e-6 tc lt 2
set label "4 stages, h = 0.2" at 70,2.2e-6 tc lt 4
set label "3 stages, symmetric" at 330,3e-7 tc lt 3
set label "4 stages, symmetric" at 330,8e-9 tc lt 5
plot data index 0 with lines lt 1, data index 1 with lines lt 2, data index 2 with lines lt 3, \
     data index 3 with lines lt 4, data index 4 with lines lt 5
unset label
set ylabel ""
set title "heavy top" font ",14"
set xlabel "time t [s]"
set yrange [1e-9:1e-1]
set xtics 0,25,100
set label "3 stages, h = 5 ms" at 30,2.2e-2 tc lt 2
set label "generalized-α, h = 1 ms" at 18,2.6e-3 tc lt 1
set label "3 stages, symmetric" at 33,2.6e-4 tc lt 3
set label "4 stages, h = 5 ms" at 30,4.5e-6 tc lt 4
set label "4 stages, symmetric" at 30,4.5e-8 tc lt 5
plot data index 5 with lines lt 1, data index 6 with lines lt 2, data index 7 with lines lt 3, \
     data index 8 with lines lt 4, data index 9 with lines lt 5
unset multiplot
