# Completion of dalembert for bash. Installed as share/bash-completion/completions/dalembert. Everything offered comes
# from the tool itself: commands and flags from its help, models, methods, options with their values, variables and
# outputs of the model on the line, claims.

# Lines of the tool, nothing if it fails.
_dalembert_ask() { dalembert "$@" 2>/dev/null; }

_dalembert_words() {
    case $1 in
    commands) _dalembert_ask --help | awk '/^Commands/ { on = 1; next } /^$/ { on = 0 } on { print $1 }' ;;
    models) _dalembert_ask models | awk '{ print $1 }' ;;
    methods) _dalembert_ask methods | awk '/^Options/ { exit } /^  / { print $1 }' ;;
    options) _dalembert_ask methods | awk '/^Options/ { on = 1 } on && /^  [a-z_]+=/ { sub(/=.*/, "="); print $1 }' ;;
    claims) _dalembert_ask reproduce --list | awk '/^[^ ]/ { print $1 }' ;;
    esac
}

# Words that an option may have: _dalembert_values formulation
_dalembert_values() {
    _dalembert_ask methods | awk -v key="$1" '
        /^  [a-z_]+=/ { name = $1; sub(/=.*/, "", name) }
        name == key && /^      \(/ {
            gsub(/^ *\(|\)$/, "")
            n = split($0, word, "|")
            for (i = 1; i <= n; i++) if (word[i] !~ /number/) print word[i]
            exit
        }'
}

# What the help of a command says of the value of a flag: FILE, csv|hdf5, NAME,...; empty: it has none.
_dalembert_value_of() {
    _dalembert_ask "$1" --help | awk -v flag="$2" '
        /^  -/ {
            n = split($0, part, /, | +/)
            for (i = 1; i <= n; i++) if (part[i] == flag) {
                line = $0
                sub(/^ *(-[a-z], )?--[a-z-]+/, "", line)
                if (line ~ /^ [^ ]/) { split(line, value, " "); print value[1] }
                exit
            }
        }'
}

# The last of words between commas: _dalembert_list "a b c" "$cur"
_dalembert_list() {
    local done=
    case $2 in *,*) done=${2%,*}, ;; esac
    COMPREPLY=($(compgen -P "$done" -W "$1" -- "${2##*,}"))
    compopt -o nospace 2>/dev/null
}

# KEY=VALUE: options and variables of the model, then what an option may be.
_dalembert_assignment() {
    local cur=$1 model=$2 key word breaks=
    case $cur in
    *=*)
        key=${cur%%=*}
        # bash replaces what stands behind the last = if that breaks words
        case $COMP_WORDBREAKS in *=*) breaks=yes ;; esac
        for word in $(compgen -W "$(_dalembert_values "$key")" -- "${cur#*=}"); do
            [ -n "$breaks" ] && COMPREPLY+=("$word") || COMPREPLY+=("$key=$word")
        done
        ;;
    *)
        compopt -o nospace 2>/dev/null
        COMPREPLY=($(compgen -W "t_end= $(_dalembert_words options)
            $([ -n "$model" ] && _dalembert_ask models --variables "$model" | sed 's/=.*/=/')" -- "$cur"))
        ;;
    esac
}

# The value of a flag. Returns 1 if the flag has none.
_dalembert_flag() {
    local command=$1 flag=$2 cur=$3 model=$4 value
    case $flag in
    -s | --set) _dalembert_assignment "$cur" "$model"; return ;;
    -m | --methods) _dalembert_list "$(_dalembert_words methods)" "$cur"; return ;;
    --tables) _dalembert_list "outputs bodies state monitor" "$cur"; return ;;
    --plot-outputs | --outputs)
        _dalembert_list "energy $([ -n "$model" ] && _dalembert_ask models --outputs "$model")" "$cur"
        return
        ;;
    --show) COMPREPLY=($(compgen -W "$(_dalembert_words models)" -- "$cur")); return ;;
    esac
    value=$(_dalembert_value_of "$command" "$flag")
    case $value in
    '') return 1 ;;
    MODEL) _dalembert_models "$cur" ;;
    FILE | PATH | DIR) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$cur")) ;;
    *'|'*) # words, and a path if one may stand there
        COMPREPLY=($(compgen -W "$(tr '|' '\n' <<<"$value" | grep -v '[A-Z]')" -- "$cur"))
        case $value in *PATH* | *FILE*) compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen -f -- "$cur")) ;; esac
        ;;
    esac
}

_dalembert_models() {
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -W "$(_dalembert_words models)" -- "$1") $(compgen -f -X '!*.json' -- "$1") $(compgen -d -- "$1"))
}

_dalembert() {
    local line=${COMP_LINE:0:COMP_POINT} words cur prev command model= i
    # words between blanks: bash breaks them at = and : as well
    read -ra words <<<"$line"
    case $line in *[[:blank:]]) words+=("") ;; esac
    cur=${words[${#words[@]} - 1]}
    prev=${words[${#words[@]} - 2]}
    command=${words[1]}
    COMPREPLY=()
    if [ "${#words[@]}" -le 2 ]; then
        COMPREPLY=($(compgen -W "$(_dalembert_words commands) --help --version" -- "$cur"))
        return
    fi
    for ((i = 2; i < ${#words[@]} - 1; i++)); do # the first word that is neither a flag nor the value of one
        case ${words[i]} in
        -*) [ -n "$(_dalembert_value_of "$command" "${words[i]}")" ] && i=$((i + 1)) ;;
        *) model=${words[i]}; break ;;
        esac
    done
    case $prev in -*) _dalembert_flag "$command" "$prev" "$cur" "$model" && return ;; esac
    case $cur in
    -*)
        COMPREPLY=($(compgen -W "$(_dalembert_ask "$command" --help | grep -o -- '^  \(-[a-z], \)\?--[a-z-]*' |
            grep -o -- '--[a-z-]*')" -- "$cur"))
        return
        ;;
    esac
    case $command in
    reproduce) COMPREPLY=($(compgen -W "$(_dalembert_words claims)" -- "$cur")) ;;
    report)
        compopt -o filenames 2>/dev/null
        COMPREPLY=($(compgen -d -- "$cur") $(compgen -f -X '!*.h5' -- "$cur"))
        ;;
    models | methods | schema) ;;
    *) _dalembert_models "$cur" ;;
    esac
}

complete -F _dalembert dalembert
