# cmake -DOUT=embedded.c -DKERNELS="a.h;b.h" -DTEXTS="scalar.txt;step.txt" -P kernels.cmake
#
# Texts as arrays of bytes, each ended by a zero: the kernels one after the other, and every other text under its name.

function(bytes_of files variable)
    set(bytes "")
    foreach(file IN LISTS files)
        file(READ ${file} hex HEX)
        string(APPEND bytes "${hex}0a")
    endforeach()
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n    "
           bytes "${bytes}")
    set(${variable} "${bytes}0" PARENT_SCOPE)
endfunction()

set(out "/* Written by tools/embed from the kernels of the library. */\n#include \"generate/generate_impl.h\"\n")
bytes_of("${KERNELS}" bytes)
string(APPEND out "\nconst char gen_text_kernels[] = {\n    ${bytes}};\n")
foreach(file IN LISTS TEXTS)
    get_filename_component(name ${file} NAME_WE)
    bytes_of("${file}" bytes)
    string(APPEND out "\nconst char gen_text_${name}[] = {\n    ${bytes}};\n")
endforeach()
file(WRITE ${OUT} "${out}")
