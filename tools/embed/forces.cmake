# cmake -DOUT=force_list.c -DFILES="force_a.c;force_b.c" -P forces.cmake
#
# The list of all types of forces from the files that define them: "const mb_force_type mb_force_NAME = {".

set(names "")
foreach(file IN LISTS FILES)
    file(STRINGS ${file} lines REGEX "^const mb_force_type mb_force_[a-z0-9_]+ = ")
    foreach(line IN LISTS lines)
        string(REGEX REPLACE "^const mb_force_type (mb_force_[a-z0-9_]+) = .*" "\\1" name "${line}")
        list(APPEND names ${name})
    endforeach()
endforeach()
list(SORT names)
set(text "/* Written by tools/embed from the files of forces. */\n#include \"mbs/mbs_impl.h\"\n\n")
set(table "")
foreach(name IN LISTS names)
    string(APPEND text "extern const mb_force_type ${name};\n")
    string(APPEND table "    &${name},\n")
endforeach()
list(LENGTH names count)
string(APPEND text "\nconst mb_force_type *const mb_force_types[] = {\n${table}};\nconst int mb_nforce_types = ${count};\n")
file(WRITE ${OUT} "${text}")
