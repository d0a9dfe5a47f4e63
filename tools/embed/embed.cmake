# cmake -DOUT=embedded.c -DSCHEMA=schema.json.in -DMODELS="a.json;b.json" -P embed.cmake
# cmake -DOUT=text.c -DNAME=array -DFILES="a.txt;b.txt" -P embed.cmake
#
# Files as arrays of bytes: C limits the length of texts, not that of arrays. The title of a model is taken from it; FILES become
# one array and its size.

function(bytes_of file variable)
    file(READ ${file} hex HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n    "
           bytes "${bytes}")
    set(${variable} "${bytes}0" PARENT_SCOPE)
endfunction()

if(DEFINED FILES)
    set(text "/* Written by tools/embed. */\n#include <stddef.h>\n")
    string(APPEND text "\nextern const unsigned char ${NAME}[];\nextern const size_t ${NAME}_size;\nconst unsigned char ${NAME}[] = {\n    ")
    foreach(file IN LISTS FILES)
        bytes_of(${file} bytes)
        string(REGEX REPLACE "0$" "" bytes "${bytes}")
        string(APPEND text "${bytes}\n    ")
    endforeach()
    string(APPEND text "0};\nconst size_t ${NAME}_size = sizeof ${NAME} - 1;\n")
    file(WRITE ${OUT} "${text}")
    return()
endif()

bytes_of(${SCHEMA} bytes)
set(text "/* Written by tools/embed from the files of models and the schema. */\n#include \"io/embedded.h\"\n")
string(APPEND text "\nconst unsigned char dal_embedded_schema[] = {\n    ${bytes}};\n")
set(table "")
set(count 0)
foreach(file IN LISTS MODELS)
    cmake_path(GET file STEM name)
    file(READ ${file} json)
    string(JSON title GET "${json}" title)
    bytes_of(${file} bytes)
    string(APPEND text "\nstatic const unsigned char model_${count}[] = {\n    ${bytes}};\n")
    string(APPEND table "    {\"${name}\", \"${title}\", (const char *)model_${count}, sizeof(model_${count}) - 1},\n")
    math(EXPR count "${count} + 1")
endforeach()
string(APPEND text "\nconst int dal_embedded_model_count = ${count};\nconst dal_builtin dal_embedded_model[] = {\n${table}};\n")
file(WRITE ${OUT} "${text}")
