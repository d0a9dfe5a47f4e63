# cmake -DOUT=embedded.c -DHTML=page.html -DSTYLE=style.css -DGALLERY=gallery.html -DSCRIPTS="a.js;b.js" -P viewer.cmake
#
# The viewer as arrays of bytes: the skeleton of the page, its style, its scripts one after the other; the gallery.

function(bytes_of text variable)
    file(WRITE ${OUT}.part "${text}")
    file(READ ${OUT}.part hex HEX)
    file(REMOVE ${OUT}.part)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n    "
           bytes "${bytes}")
    set(${variable} "${bytes}0" PARENT_SCOPE)
endfunction()

file(READ ${HTML} html)
file(READ ${STYLE} style)
file(READ ${GALLERY} gallery)
set(script "")
foreach(file IN LISTS SCRIPTS)
    file(READ ${file} text)
    string(APPEND script "${text}\n")
endforeach()
set(out "/* Written by tools/embed from the files of the viewer. */\n#include \"page/page_impl.h\"\n")
foreach(name html style script gallery)
    bytes_of("${${name}}" bytes)
    string(APPEND out "\nconst unsigned char dal_page_${name}[] = {\n    ${bytes}};\n")
endforeach()
file(WRITE ${OUT} "${out}")
