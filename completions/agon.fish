# fish completion for agon: it reads the program's own help, so it knows what the program knows.

function __agon_games
    agon games 2>/dev/null | string replace -rf '^([a-z_]+): (.*)' '$1\t$2'
end

# __agon_list GAME scenarios|bots
function __agon_list -a game what
    agon games 2>/dev/null | sed -n "/^$game: /,/^[a-z]/s/^  $what *//p" | string split ', '
end

function __agon_commands
    sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z-]*\)  *\(.*\)/\1\t\2/p'
end

function __agon_complete
    set -l words (commandline -opc)[2..-1]
    set -l current (commandline -ct)
    set -l path
    set -l game
    set -l games (__agon_games)
    set -l help (agon --help-all 2>/dev/null)
    for word in $words
        if test (count $path) -gt 0; and contains -- $word (string split -f 1 \t -- $games)
            set game $word
        end
        if contains -- $word (printf '%s\n' $help | __agon_commands | string split -f 1 \t)
            set -a path $word
            set help (agon $path --help-all 2>/dev/null)
        end
    end

    set -l before $words[-1]
    set -l prefix
    if string match -qr '^--.*=' -- $current
        set before (string split -m 1 = -- $current)[1]
        set prefix $before=
    end
    switch "$before"
        case --scenario -S
            printf "$prefix%s\n" (__agon_list "$game" scenarios)
            return
        case --bots -b
            printf "$prefix%s\n" (__agon_list "$game" bots)
            return
    end
    set -l takes
    if string match -qr '^--.' -- $before
        set takes (printf '%s\n' $help | string replace -rf "^ .*$before=([A-Z]*).*" '$1')
    else if string match -qr '^-[a-zA-Z]$' -- $before
        set takes (printf '%s\n' $help | string replace -rf "^  $before, --[a-z-]*=([A-Z]*).*" '$1')
    end
    switch "$takes[1]"
        case DIR FILE OUT
            __fish_complete_path (string replace -- "$prefix" '' $current)
            return
        case '?*'
            return
    end

    printf '%s\n' $help | __agon_commands
    printf '%s\n' $help | string replace -rf '^ {2,6}(-., )?(--[a-z][a-z-]+)\S* +(.*)' '$2\t$3'
    switch $help[1]
        case '*GAME...*'
            printf '%s\n' $games
        case '*GAME*'
            test -n "$game"; or printf '%s\n' $games
        case '*FILE*'
            __fish_complete_path $current
    end
end

complete -c agon -f -a '(__agon_complete)'
