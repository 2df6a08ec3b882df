# bash completion for agon
_agon() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} i game=
    local everywhere="--help --usage --version" setup="--seats --scenario --rules" words=
    COMPREPLY=()
    [[ $before == "=" ]] && before=${COMP_WORDS[COMP_CWORD - 2]}
    [[ $word == "=" ]] && word=
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "games rules watch simulate engine replay bench $everywhere" -- "$word")
        return
    fi
    if [[ $command == replay ]]; then
        _agon_replay "$word" "$before"
        return
    fi
    for ((i = 2; i < COMP_CWORD; i++)); do
        [[ " $(_agon_games) " == *" ${COMP_WORDS[i]} "* ]] && game=${COMP_WORDS[i]}
    done

    case $before in
    --replays | -r) [[ $command == simulate ]] && mapfile -t COMPREPLY < <(compgen -d -- "$word") && return ;;&
    --replay | -r) mapfile -t COMPREPLY < <(compgen -f -- "$word") && return ;;
    --scenario | -S) words=$(_agon_list "$game" scenarios) ;;
    --bots | -b) words=$(_agon_list "$game" bots) ;;
    --seats | --rules | --seed | --max-steps | --speed | --viewer | --games | --threads | --seconds) return ;;
    *)
        case $command in
        games) words="--json $everywhere" ;;
        rules) words="$setup --json $everywhere" ;;
        watch) words="$setup --bots --seed --speed --viewer --max-steps $everywhere" ;;
        simulate) words="$setup --games --bots --seed --threads --max-steps --replays --json $everywhere" ;;
        engine) words="--replay $everywhere" ;;
        bench) words="--json --seconds $everywhere" ;;
        esac
        [[ $command == games || ($game && $command != bench) ]] || words="$words $(_agon_games)"
        ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

_agon_replay() {
    local word=$1 before=$2 words=
    if ((COMP_CWORD == 2)); then
        words="show verify info export import cut --help --usage --version"
    else
        case $before in
        --format | -f) words="json jsonl agt" ;;
        --hash) words="agon compat" ;;
        --seat | -s) words="all gallery" ;;
        --step | --key) return ;;
        *)
            case ${COMP_WORDS[2]} in
            show) words="--seat --step --text --key" ;;
            verify) words="--json --quiet --shrink --key" ;;
            info) words="--json --key" ;;
            export) words="--format --hash --seat --output --key" ;;
            import) words="--output" ;;
            cut) words="--output --key" ;;
            esac
            [[ $word == -* ]] || mapfile -t COMPREPLY < <(compgen -f -- "$word")
            [[ $word == -* ]] || return
            ;;
        esac
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

# The names that 'agon games' prints.
_agon_games() {
    agon games 2>/dev/null | sed -n 's/^\([a-z_]*\): .*/\1/p' | tr '\n' ' '
}

# _agon_list GAME scenarios|bots
_agon_list() {
    agon games 2>/dev/null | sed -n "/^$1: /,/^[a-z]/s/^  $2 *//p" | tr -d ,
}

complete -F _agon agon
