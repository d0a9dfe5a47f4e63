# Every public header compiles alone: as C17, and as C++ where there is a compiler for it.
include(CheckLanguage)
check_language(CXX)
if(CMAKE_CXX_COMPILER)
    enable_language(CXX)
endif()

file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/include/dalembert/*.h)
set(units "")
foreach(header IN LISTS headers)
    string(MAKE_C_IDENTIFIER ${header} name)
    # twice: the include guard works; and the unit is not empty
    set(text "#include \"${header}\"\n#include \"${header}\"\nint ${name}_alone;\n")
    file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/headers/${name}.c CONTENT "${text}")
    list(APPEND units ${CMAKE_CURRENT_BINARY_DIR}/headers/${name}.c)
    if(CMAKE_CXX_COMPILER)
        file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/headers/${name}.cpp CONTENT "${text}")
        list(APPEND units ${CMAKE_CURRENT_BINARY_DIR}/headers/${name}.cpp)
    endif()
endforeach()

add_library(headers_alone OBJECT ${units})
target_include_directories(headers_alone PRIVATE ${PROJECT_SOURCE_DIR}/include)
target_compile_options(headers_alone PRIVATE -Wall -Wextra -Wpedantic -Werror)
set_target_properties(headers_alone PROPERTIES C_STANDARD 17 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
                      CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)
