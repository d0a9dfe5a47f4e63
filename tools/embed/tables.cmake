# cmake -DOUT=force_list.c -DFILES="force_a.c;force_b.c" -DTYPE=mb_force_type -DLIST=mb_force_types -DCOUNT=mb_nforce_types
#       -DHEADER=mbs/mbs_impl.h -P tables.cmake
#
# The list of all tables of a type, from the files that define them: "const mb_force_type mb_force_NAME = {".

set(names "")
foreach(file IN LISTS FILES)
    file(STRINGS ${file} lines REGEX "^const ${TYPE} [a-z0-9_]+ = ")
    foreach(line IN LISTS lines)
        string(REGEX REPLACE "^const ${TYPE} ([a-z0-9_]+) = .*" "\\1" name "${line}")
        list(APPEND names ${name})
    endforeach()
endforeach()
list(SORT names)
set(text "/* Written by tools/embed/tables.cmake. */\n#include \"${HEADER}\"\n\n")
set(table "")
foreach(name IN LISTS names)
    string(APPEND text "extern const ${TYPE} ${name};\n")
    string(APPEND table "    &${name},\n")
endforeach()
list(LENGTH names count)
string(APPEND text "\nconst ${TYPE} *const ${LIST}[] = {\n${table}};\nconst int ${COUNT} = ${count};\n")
file(WRITE ${OUT} "${text}")
