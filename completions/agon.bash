# bash completion for agon: it reads the program's own help, so it knows what the program knows.

# _agon_commands [COMMAND...]: the commands that this help lists.
_agon_commands() {
    agon "$@" --help-all 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p'
}

# _agon_list GAME scenarios|bots
_agon_list() {
    agon games 2>/dev/null | sed -n "/^$1: /,/^[a-z]/s/^  $2 *//p" | tr -d ,
}

_agon() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} path=() i game='' help takes='' words
    COMPREPLY=()
    [[ $before == "=" ]] && before=${COMP_WORDS[COMP_CWORD - 2]}
    [[ $word == "=" ]] && word=
    local games
    games=$(agon games 2>/dev/null | sed -n 's/^\([a-z_]*\): .*/\1/p' | xargs)
    for ((i = 1; i < COMP_CWORD; i++)); do
        [[ " $games " == *" ${COMP_WORDS[i]} "* && ${#path[@]} -gt 0 ]] && game=${COMP_WORDS[i]}
        [[ " $(_agon_commands "${path[@]}" | xargs) " == *" ${COMP_WORDS[i]} "* ]] && path+=("${COMP_WORDS[i]}")
    done
    help=$(agon "${path[@]}" --help-all 2>/dev/null)

    case $before in
    --?*) takes=$(sed -n "s/^ .*$before=\([A-Z]*\).*/\1/p" <<<"$help") ;;
    -[a-zA-Z]) takes=$(sed -n "s/^  $before, --[a-z-]*=\([A-Z]*\).*/\1/p" <<<"$help") ;;
    esac
    case $before in
    --scenario | -S) words=$(_agon_list "$game" scenarios) ;;
    --bots | -b) words=$(_agon_list "$game" bots) ;;
    *)
        case $takes in
        DIR) mapfile -t COMPREPLY < <(compgen -d -- "$word") && return ;;
        FILE | OUT) mapfile -t COMPREPLY < <(compgen -f -- "$word") && return ;;
        ?*) return ;;
        esac
        words=$(_agon_commands "${path[@]}")
        [[ $words && $word != -* ]] && mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word") && return
        words+=" $(grep -oE '^ {2,6}(-., )?--[a-z][a-z-]+' <<<"$help" | grep -oE -- '--.*' | xargs)"
        case $(head -n 1 <<<"$help") in
        *GAME...*) words+=" $games" ;;
        *GAME*) [[ $game ]] || words+=" $games" ;;
        *FILE*) [[ $word == -* ]] || mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
        esac
        ;;
    esac
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$words" -- "$word")
}

complete -F _agon agon
