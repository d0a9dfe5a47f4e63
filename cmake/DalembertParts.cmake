# How the pieces are built. Each part of the library is one OBJECT library, a test is one executable.
#
#   dal_part(NAME SOURCES ... [LINK ...])              a part: src/NAME; LINK names system libraries (jansson)
#   dal_library()                                      all parts: a static and a shared library; the core alone: two more
#   dal_test(NAME [SOURCES ...] [LINK ...] [SLOW])     test/<part>/NAME.c, run by CTest
#   dal_test_missing(NAME REASON [SLOW])               a test that cannot be built here: skipped, with the reason
#   dal_compile_settings(TARGET)                       warnings, language, floating point: for every target

# One change of the library and all tests are linked anew, unless they take it from a shared one (tools/mutate).
option(DAL_INTERNAL_SHARED "Tests and tool use a shared library with all names" OFF)
set(DAL_INTERNAL STATIC)
set(DAL_VISIBILITY hidden)
if(DAL_INTERNAL_SHARED)
    set(DAL_INTERNAL SHARED)
    set(DAL_VISIBILITY default)
    set(CMAKE_LINK_DEPENDS_NO_SHARED ON)
    set(CMAKE_INSTALL_RPATH ${PROJECT_BINARY_DIR}) # tests run the tool as installed
endif()

set(DAL_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wvla)
option(DAL_WERROR "Treat warnings as errors" OFF)
if(DAL_WERROR)
    list(APPEND DAL_WARNINGS -Werror)
endif()

# Results must not depend on what the compiler feels like fusing: -ffp-contract=off makes a*b + c two
# rounded operations everywhere, so that two builds of one version agree to the last bit, and so do a
# run and its continuation. For the same reason no -ffast-math and no -march=native.
# Nobody here reads errno after sqrt or unmasks floating-point traps: without both, sqrt is one
# instruction and loops vectorise; no result changes.
set(DAL_FLOATING_POINT -ffp-contract=off -fno-math-errno -fno-trapping-math)

# As compilers see the sources that know C17 and nothing else: one number at a time (src/base/vector.h).
option(DAL_PLAIN_C "No vectors, no attributes but those of the public headers; what is not C17 is an error" OFF)
if(DAL_PLAIN_C)
    add_compile_definitions(DAL_PLAIN_C vector_size=not_C17 always_inline=not_C17)
    list(APPEND DAL_WARNINGS -pedantic-errors)
endif()

function(dal_compile_settings target)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
    target_compile_options(${target} PRIVATE ${DAL_WARNINGS} ${DAL_FLOATING_POINT})
    if(WIN32)
        target_compile_definitions(${target} PRIVATE __USE_MINGW_ANSI_STDIO=1) # %zu
    elseif(CMAKE_SIZEOF_VOID_P EQUAL 4)
        target_compile_definitions(${target} PRIVATE _FILE_OFFSET_BITS=64) # files beyond 2 GiB
    endif()
    set_target_properties(${target} PROPERTIES C_STANDARD 17 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
                          POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET ${DAL_VISIBILITY})
endfunction()

# USES is read by people only; tools/check_layers.py knows the layers.
function(dal_part name)
    cmake_parse_arguments(P "" "" "SOURCES;USES;LINK" ${ARGN})
    add_library(dal_${name} OBJECT ${P_SOURCES})
    dal_compile_settings(dal_${name})
    set_property(GLOBAL APPEND PROPERTY DAL_PART_TARGETS dal_${name})
    set_property(GLOBAL APPEND PROPERTY DAL_PART_LINK ${P_LINK})
endfunction()

# All parts as one object in which only what the public headers declare is visible: names that parts share among
# themselves cannot meet those of a program. Where there is no objcopy for it, the objects as they are.
function(dal_public_object result name)
    set(objects "")
    foreach(part IN LISTS ARGN)
        list(APPEND objects $<TARGET_OBJECTS:${part}>)
    endforeach()
    if(NOT CMAKE_OBJCOPY OR APPLE OR NOT UNIX)
        set(${result} ${objects} PARENT_SCOPE)
        return()
    endif()
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}_public.o)
    set(format "")
    if(CMAKE_C_FLAGS MATCHES "-m32") # which the linker is not told; addresses come from functions that every object brings along
        set(format -m elf_i386 --force-group-allocation)
    endif()
    add_custom_command(OUTPUT ${object}
        COMMAND ${CMAKE_LINKER} ${format} -r -o ${object} ${objects}
        COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${object}
        DEPENDS ${ARGN} ${objects} COMMAND_EXPAND_LISTS VERBATIM COMMENT "Hiding what is not public in ${object}")
    set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
    set(${result} ${object} PARENT_SCOPE)
endfunction()

# The soname: before 1.0 a new minor version may break programs, afterwards a new major one.
set(DAL_SOVERSION ${PROJECT_VERSION_MAJOR})
if(PROJECT_VERSION_MAJOR EQUAL 0)
    set(DAL_SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
endif()

# A shared library and an archive of parts: targets NAME and NAME_archive. What they need of the system is LINK.
function(dal_shared_and_static name file)
    cmake_parse_arguments(L "" "" "PARTS;LINK" ${ARGN})
    set(objects "")
    foreach(part IN LISTS L_PARTS)
        list(APPEND objects $<TARGET_OBJECTS:${part}>)
    endforeach()
    dal_public_object(public ${name} ${L_PARTS})
    add_library(${name}_archive STATIC ${public})
    add_library(${name} SHARED ${objects})
    foreach(library ${name}_archive ${name})
        target_link_libraries(${library} PRIVATE ${L_LINK} m)
        target_include_directories(${library} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                   $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
        set_target_properties(${library} PROPERTIES OUTPUT_NAME ${file} LINKER_LANGUAGE C)
    endforeach()
    target_link_libraries(${name} INTERFACE m) # programs with equations of their own call sin and cos
    set_target_properties(${name} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${DAL_SOVERSION})
    # a copy of the library uses its own functions, whichever other copies the process has loaded
    target_link_options(${name} PRIVATE -Wl,--no-undefined $<$<NOT:$<BOOL:${WIN32}>>:-Wl,-Bsymbolic>
        $<$<BOOL:${WIN32}>:-static-libgcc>)
endfunction()

function(dal_core_library)
    list(TRANSFORM DAL_CORE PREPEND dal_ OUTPUT_VARIABLE core)
    dal_shared_and_static(dalembert_core dalembert-core PARTS ${core})
    set_target_properties(dalembert_core PROPERTIES EXPORT_NAME core)
    set_target_properties(dalembert_core_archive PROPERTIES EXPORT_NAME core_static)
    add_library(dalembert::core ALIAS dalembert_core)
    add_library(dalembert::core_static ALIAS dalembert_core_archive)
endfunction()

function(dal_library)
    get_property(parts GLOBAL PROPERTY DAL_PART_TARGETS)
    get_property(link GLOBAL PROPERTY DAL_PART_LINK)
    list(REMOVE_DUPLICATES link)
    set(objects "")
    foreach(part IN LISTS parts)
        list(APPEND objects $<TARGET_OBJECTS:${part}>)
    endforeach()
    add_library(dalembert_static ${DAL_INTERNAL} ${objects}) # for the tool and the tests: with the names that parts share
    target_link_libraries(dalembert_static PRIVATE ${link} m)
    target_include_directories(dalembert_static PUBLIC ${PROJECT_SOURCE_DIR}/include)
    set_target_properties(dalembert_static PROPERTIES OUTPUT_NAME dalembert_internal LINKER_LANGUAGE C)
    if(DAL_INTERNAL_SHARED)
        target_link_libraries(dalembert_static PUBLIC ${link} m)
    endif()

    dal_shared_and_static(dalembert dalembert PARTS ${parts} LINK ${link})
    set_target_properties(dalembert_archive PROPERTIES EXPORT_NAME static)
    add_library(dalembert::dalembert ALIAS dalembert)
    add_library(dalembert::static ALIAS dalembert_archive)

    if(DAL_CORE)
        dal_core_library()
    endif()
endfunction()

# FILE.gz beside the build, made by the target NAME; without gzip there is no such target.
find_program(DAL_GZIP gzip)
mark_as_advanced(DAL_GZIP)
function(dal_compressed name file)
    if(DAL_GZIP)
        get_filename_component(base ${file} NAME)
        set(to ${PROJECT_BINARY_DIR}/${base}.gz)
        add_custom_command(OUTPUT ${to} COMMAND sh -c "${DAL_GZIP} -9nc '${file}' >'${to}'" DEPENDS ${file} VERBATIM)
        add_custom_target(${name} ALL DEPENDS ${to})
        add_dependencies(installed ${name})
    endif()
endfunction()

# Tests see internal headers, so they link the static library. cmocka hands every test a state it seldom uses.
function(dal_test name)
    cmake_parse_arguments(T "SLOW" "" "SOURCES;LINK" ${ARGN})
    add_executable(${name} ${name}.c ${T_SOURCES})
    dal_compile_settings(${name})
    target_compile_options(${name} PRIVATE -Wno-unused-parameter)
    target_link_libraries(${name} PRIVATE check ${T_LINK})
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES ENVIRONMENT OPENBLAS_NUM_THREADS=1 # CTest runs several at a time
                         SKIP_RETURN_CODE 77) # check_skip
    # limits end what hangs, also on a busy machine: they are no claim about speed
    if(T_SLOW)
        set_tests_properties(${name} PROPERTIES LABELS slow TIMEOUT 1800)
    else()
        set_tests_properties(${name} PROPERTIES TIMEOUT 1200)
    endif()
endfunction()

function(dal_test_missing name reason)
    cmake_parse_arguments(T "SLOW" "" "" ${ARGN})
    add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "skipped: ${reason}")
    set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped: ")
    if(T_SLOW)
        set_tests_properties(${name} PROPERTIES LABELS slow)
    endif()
endfunction()
