#!/bin/bash
# completion.sh TOOL COMPLETION: what bash offers for the beginning of a command line.
tool=$1
dalembert() { "$tool" "$@"; }
compopt() { :; } # there is no line being edited
. "$2"
wrong=0

# offers LINE WORD...: each of the words is offered; !WORD: it is not
offers() {
    local word offered
    COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDS=() COMP_CWORD=0
    shift
    _dalembert
    offered=" ${COMPREPLY[*]} "
    for word in "$@"; do
        case $word in
        !*) case $offered in *" ${word#!} "*) echo "'$COMP_LINE' offers ${word#!}"; wrong=1 ;; esac ;;
        *) case $offered in *" $word "*) ;; *) echo "'$COMP_LINE' does not offer $word but:$offered"; wrong=1 ;; esac ;;
        esac
    done
}

cd "$(mktemp -d)" || exit 1
echo '{"dalembert": 1, "variables": {"mine": 3}, "bodies": [{"name": "b", "mass": 1, "inertia": 1}],
       "outputs": ["b.position", "b.velocity"]}' >own.json
offers 'dalembert r' run report reproduce !study
offers 'dalembert ' run check modes --help
offers 'dalembert run he' heavy_top !pendulum
offers 'dalembert run ' heavy_top own.json
offers 'dalembert run heavy_top --ou' --output --output-every !--json
offers 'dalembert run heavy_top --format ' csv hdf5
offers 'dalembert run heavy_top --set form' formulation=
offers 'dalembert run heavy_top --set formulation=g' ggl !index3
offers 'dalembert run heavy_top --set allow_unstable=' yes no
offers 'dalembert run heavy_top -s sp' spin=
offers 'dalembert run --h 1e-3 own.json -s mi' mine=
offers 'dalembert run own.json --plot-outputs b.' b.position b.velocity
offers 'dalembert run own.json --plot-outputs b.position,b.v' b.position,b.velocity
offers 'dalembert run heavy_top --tables outputs,b' outputs,bodies
offers 'dalembert study heavy_top --methods ggl,lob' ggl,lobatto4
offers 'dalembert study heavy_top --reference ' exact self own.json
offers 'dalembert reproduce crank-th' crank-theta1-order
offers 'dalembert models --show pend' pendulum
offers 'dalembert models --variables own' own.json
COMP_WORDBREAKS=' '
offers 'dalembert run heavy_top --set formulation=g' formulation=ggl
rm own.json && rmdir "$PWD"
exit $wrong
