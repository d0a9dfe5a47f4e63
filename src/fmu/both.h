/* Functions that are the same in both versions of the standard, for fmi2.c and fmi3.c: FMI(name) is the name with its prefix, FMI_INSTANCE what an instance is
 * called, FMI_STATE what its state is; a fmi_unit has the instance as u. */
static fmu_instance *fmi_of(FMI_INSTANCE u)
{
    return ((fmi_unit *)u)->u;
}

static FMI(Status) fmi_as_status(int failed)
{
    return failed ? FMI(Error) : FMI(OK);
}

static FMI(Status) fmi_refuse(FMI_INSTANCE u, const char *text)
{
    if (u != NULL) {
        (void)fmu_fail(fmi_of(u), text);
    }
    return FMI(Error);
}

static fmi_unit *fmi_open_unit(const fmi_unit *like, const char *token, const char *resources, int exchange)
{
    fmi_unit *s = malloc(sizeof *s);
    if (s == NULL) {
        return NULL;
    }
    *s = *like;
    s->u = fmu_open(resources, token, exchange, fmi_say, s);
    if (s->u == NULL) {
        free(s);
        return NULL;
    }
    return s;
}

void FMI(FreeInstance)(FMI_INSTANCE u)
{
    if (u != NULL) {
        fmu_close(fmi_of(u));
        free(u);
    }
}

/* ---- modes ---------------------------------------------------------------------------------------- */

FMI(Status) FMI(SetDebugLogging)(FMI_INSTANCE u, FMI(Boolean) on, size_t n, const FMI(String) categories[])
{
    (void)u, (void)on, (void)n, (void)categories;
    return FMI(OK);
}

FMI(Status) FMI(ExitInitializationMode)(FMI_INSTANCE u)
{
    return fmi_as_status(fmu_start(fmi_of(u)));
}

FMI(Status) FMI(EnterEventMode)(FMI_INSTANCE u)
{
    (void)u;
    return FMI(OK);
}

FMI(Status) FMI(EnterContinuousTimeMode)(FMI_INSTANCE u)
{
    (void)u;
    return FMI(OK);
}

FMI(Status) FMI(Terminate)(FMI_INSTANCE u)
{
    (void)u;
    return FMI(OK);
}

FMI(Status) FMI(Reset)(FMI_INSTANCE u)
{
    return fmi_as_status(fmu_reset(fmi_of(u)));
}

/* ---- saving --------------------------------------------------------------------------------------- */

FMI(Status) FMI(FreeFMUState)(FMI_INSTANCE u, FMI_STATE *state)
{
    (void)u;
    fmu_forget(state);
    return FMI(OK);
}

FMI(Status) FMI(GetFMUState)(FMI_INSTANCE u, FMI_STATE *state)
{
    return fmi_as_status(fmu_keep(fmi_of(u), state));
}

FMI(Status) FMI(SetFMUState)(FMI_INSTANCE u, FMI_STATE state)
{
    return fmi_as_status(fmu_return_to(fmi_of(u), state));
}

FMI(Status) FMI(SerializedFMUStateSize)(FMI_INSTANCE u, FMI_STATE state, size_t *size)
{
    (void)u;
    *size = fmu_kept_size(state);
    return FMI(OK);
}

FMI(Status) FMI(SerializeFMUState)(FMI_INSTANCE u, FMI_STATE state, FMI(Byte) bytes[], size_t size)
{
    return fmi_as_status(fmu_write_kept(fmi_of(u), state, bytes, size));
}

FMI(Status) FMI(DeserializeFMUState)(FMI_INSTANCE u, const FMI(Byte) bytes[], size_t size, FMI_STATE *state)
{
    return fmi_as_status(fmu_read_kept(fmi_of(u), state, bytes, size));
}

/* ---- model exchange ------------------------------------------------------------------------------ */

FMI(Status)
FMI(CompletedIntegratorStep)
(FMI_INSTANCE u, FMI(Boolean) no_return, FMI(Boolean) * enter_event_mode, FMI(Boolean) * terminate)
{
    int event;
    (void)no_return;
    const int failed = fmu_completed(fmi_of(u), &event);
    *enter_event_mode = event != 0;
    *terminate = 0;
    return fmi_as_status(failed);
}

FMI(Status) FMI(SetTime)(FMI_INSTANCE u, double t)
{
    return fmi_as_status(fmu_set_time(fmi_of(u), t));
}

FMI(Status) FMI(SetContinuousStates)(FMI_INSTANCE u, const double x[], size_t n)
{
    return fmi_as_status(fmu_set_states(fmi_of(u), x, n));
}

FMI(Status) FMI(GetContinuousStates)(FMI_INSTANCE u, double x[], size_t n)
{
    return fmi_as_status(fmu_get_states(fmi_of(u), x, n));
}

FMI(Status) FMI(GetContinuousStateDerivatives)(FMI_INSTANCE u, double dx[], size_t n)
{
    return fmi_as_status(fmu_derivatives(fmi_of(u), dx, n));
}

FMI(Status) FMI(GetNominalsOfContinuousStates)(FMI_INSTANCE u, double x[], size_t n)
{
    return fmi_as_status(fmu_nominals(fmi_of(u), x, n));
}

FMI(Status) FMI(GetEventIndicators)(FMI_INSTANCE u, double z[], size_t n)
{
    return fmi_as_status(fmu_indicators(fmi_of(u), z, n));
}
