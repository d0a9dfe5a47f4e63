# Completion of dalembert for bash. Installed as share/bash-completion/completions/dalembert.

_dalembert_words() {
    # names of built-in models, methods or options, from the tool itself
    case $1 in
    models) dalembert models 2>/dev/null | awk '{ print $1 }' ;;
    methods) dalembert methods 2>/dev/null | awk '/^Options/ { exit } /^  / { print $1 }' ;;
    options) dalembert methods 2>/dev/null | awk '/^Options/ { on = 1 } on && /^  [a-z_]+=/ { sub(/=.*/, "="); print $1 }' ;;
    esac
}

_dalembert() {
    local cur prev words cword split command
    local commands="run view report study sweep check static modes campbell linearize reproduce models methods schema"
    # without the breaks at = and : that bash makes
    COMPREPLY=()
    cur=${COMP_WORDS[COMP_CWORD]}
    prev=${COMP_WORDS[COMP_CWORD - 1]}
    command=${COMP_WORDS[1]}

    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "$commands --help --version" -- "$cur"))
        return
    fi
    case $prev in
    -o | --output | -p | --plot | --html | --checkpoint | --resume)
        compopt -o filenames 2>/dev/null
        COMPREPLY=($(compgen -f -- "$cur"))
        return
        ;;
    -f | --format) COMPREPLY=($(compgen -W "csv hdf5" -- "$cur")); return ;;
    -r | --reference) COMPREPLY=($(compgen -W "exact self" -- "$cur") $(compgen -f -- "$cur")); return ;;
    --tables) COMPREPLY=($(compgen -W "outputs bodies state monitor" -- "$cur")); return ;;
    -m | --methods) COMPREPLY=($(compgen -W "$(_dalembert_words methods)" -- "$cur")); return ;;
    --show) COMPREPLY=($(compgen -W "$(_dalembert_words models)" -- "$cur")); return ;;
    -s | --set)
        compopt -o nospace 2>/dev/null
        COMPREPLY=($(compgen -W "$(_dalembert_words options)" -- "$cur"))
        return
        ;;
    esac
    case $cur in
    -*)
        # the flags are those of the help
        local flags
        flags=$(dalembert "$command" --help 2>/dev/null | grep -o -- '--[a-z-]*' | sort -u)
        COMPREPLY=($(compgen -W "$flags" -- "$cur"))
        ;;
    *)
        case $command in
        run | view | study | sweep | check | modes | campbell | linearize)
            compopt -o filenames 2>/dev/null
            COMPREPLY=($(compgen -W "$(_dalembert_words models)" -- "$cur") $(compgen -f -X '!*.json' -- "$cur")
                $(compgen -d -- "$cur"))
            ;;
        report)
            compopt -o filenames 2>/dev/null
            COMPREPLY=($(compgen -d -- "$cur") $(compgen -f -X '!*.h5' -- "$cur"))
            ;;
        esac
        ;;
    esac
}

complete -F _dalembert dalembert
