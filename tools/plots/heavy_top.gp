# The first example: path and joint force of the heavy top over time.
#     gnuplot -e "csv='results/heavy_top.csv'; svg='results/heavy_top.svg'" tools/plots/heavy_top.gp
# Without svg it draws on the terminal, in characters.
set datafile separator ","
set xrange [0:1]
set xtics 0.2
set border 3
set tics nomirror out
if (exists("svg")) {
    set terminal svg size 760,560 noenhanced font "Helvetica,14" background "white"
    set output svg
    set grid ytics lc rgb "#dddddd"
    # colours that are told apart in grey and by the colour-blind
    set linetype 1 lc rgb "#0072b2" lw 2
    set linetype 2 lc rgb "#e69f00" lw 2
    set linetype 3 lc rgb "#009e73" lw 2
    set lmargin 11
    set rmargin 6
    unset key
    set multiplot layout 2,1
    set ytics 0.5
    set ylabel "centre of mass [m]" offset 1
    set label 1 "x" at 1.015,0.20 tc lt 1
    set label 2 "y" at 1.015,0.64 tc lt 2
    set label 3 "z" at 1.015,-0.75 tc lt 3
    plot for [i=1:3] csv using 1:i+1 every 4::1 with lines lt i
    set ylabel "force of the joint [N]" offset 1
    set xlabel "time t [s]"
    set ytics 400
    set label 1 "Fx" at 1.015,-570
    set label 2 "Fy" at 1.015,-370
    set label 3 "Fz" at 1.015,405
    plot for [i=1:3] csv using 1:i+4 every 4::1 with lines lt i
    unset multiplot
} else {
    set terminal dumb size 79,24 noenhanced
    set title "centre of mass x, y, z [m] over time [s]"
    unset key
    plot csv using 1:2 every 8::1 with points pt "x", csv using 1:3 every 8::1 with points pt "y", \
         csv using 1:4 every 8::1 with points pt "z"
}
