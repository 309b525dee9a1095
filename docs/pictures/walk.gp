# Draws a walk as stick figures, from the CSV that `bvhmill convert --emit csv`
# makes of the sample take walk_cycle:
#   gnuplot -e "table='walk_cycle.csv'; picture='walk.png'" walk.gp

set datafile separator comma
set terminal pngcairo size 1500,460 font 'DejaVu Sans,12' background '#ffffff'
set output picture
set title "walk_cycle.bvh: every 12th frame, solved by bvhmill" noenhanced
set ylabel 'height (cm)'
set xlabel 'distance walked (cm); poses are drawn 45 cm further apart'
set size ratio -1
set xrange [-30:700]
set yrange [-8:185]
set grid lc rgb '#eeeeee'
set border 3 lc rgb '#888888'
set tics nomirror
unset key

step = 12
gap = 45.0
x(joint) = column(joint . '.z') + floor(column('frame') / step) * gap
y(joint) = column(joint . '.y')

middle = 'Hips:Spine Spine:Spine1 Spine1:Spine2 Spine2:Spine3 Spine3:Neck \
Neck:Neck1 Neck1:Head'
limb(side) = sprintf('Spine3:%sShoulder %sShoulder:%sArm %sArm:%sForeArm \
%sForeArm:%sHand %sHand:%sHandMiddle1 Hips:%sUpLeg %sUpLeg:%sLeg \
%sLeg:%sFoot %sFoot:%sToeBase', side, side, side, side, side, side, side, \
side, side, side, side, side, side, side, side, side)
left = limb('Left')
right = limb('Right')

from(bone) = bone[1:strstrt(bone, ':') - 1]
to(bone) = bone[strstrt(bone, ':') + 1:*]

plot \
  for [i=1:words(right)] table every step using \
    (x(from(word(right, i)))):(y(from(word(right, i)))): \
    (x(to(word(right, i))) - x(from(word(right, i)))): \
    (y(to(word(right, i))) - y(from(word(right, i)))) \
    with vectors nohead lw 2.5 lc rgb '#2a9d8f', \
  for [i=1:words(middle)] table every step using \
    (x(from(word(middle, i)))):(y(from(word(middle, i)))): \
    (x(to(word(middle, i))) - x(from(word(middle, i)))): \
    (y(to(word(middle, i))) - y(from(word(middle, i)))) \
    with vectors nohead lw 3 lc rgb '#264653', \
  for [i=1:words(left)] table every step using \
    (x(from(word(left, i)))):(y(from(word(left, i)))): \
    (x(to(word(left, i))) - x(from(word(left, i)))): \
    (y(to(word(left, i))) - y(from(word(left, i)))) \
    with vectors nohead lw 2.5 lc rgb '#e76f51'
