/* What units are made of, as the build has it: the binary that has the library inside (DAL_FMU_BINARY is its path), and the texts that units of generated
 * code consist of beside the program (DAL_FMU_SOURCES: their folder). */
#include "fmu/fmu.h"

#define EMBED(symbol, path)                            \
    __asm__(".section .rodata\n"                       \
            ".balign 16\n" #symbol ":\n"               \
            ".incbin \"" path "\"\n" #symbol "_end:\n" \
            ".byte 0\n"                                \
            ".previous\n");                            \
    extern const char symbol[], symbol##_end[]

EMBED(dal_fmu_library, DAL_FMU_BINARY);
EMBED(dal_fmu_fmi2_h, DAL_FMU_SOURCES "/fmi2.h");
EMBED(dal_fmu_fmi2_c, DAL_FMU_SOURCES "/fmi2.c");
EMBED(dal_fmu_fmi3_h, DAL_FMU_SOURCES "/fmi3.h");
EMBED(dal_fmu_fmi3_c, DAL_FMU_SOURCES "/fmi3.c");
EMBED(dal_fmu_both_h, DAL_FMU_SOURCES "/both.h");
EMBED(dal_fmu_instance_h, DAL_FMU_SOURCES "/instance.h");
EMBED(dal_fmu_instance_c, DAL_FMU_SOURCES "/instance.c");
EMBED(dal_fmu_engine_h, DAL_FMU_SOURCES "/engine.h");
EMBED(dal_fmu_generated, DAL_FMU_SOURCES "/generated.txt");

fmu_file fmu_binary(void)
{
    return (fmu_file){.bytes = dal_fmu_library, .n = (size_t)(dal_fmu_library_end - dal_fmu_library)};
}

const fmu_texts *fmu_own_texts(void)
{
    static const fmu_texts texts = {.fmi2_h = dal_fmu_fmi2_h,
                                    .fmi2_c = dal_fmu_fmi2_c,
                                    .fmi3_h = dal_fmu_fmi3_h,
                                    .fmi3_c = dal_fmu_fmi3_c,
                                    .both_h = dal_fmu_both_h,
                                    .instance_h = dal_fmu_instance_h,
                                    .instance_c = dal_fmu_instance_c,
                                    .engine_h = dal_fmu_engine_h,
                                    .generated = dal_fmu_generated};
    return &texts;
}
