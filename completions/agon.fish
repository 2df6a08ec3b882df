# fish completion for agon

function __agon_games
    agon games 2>/dev/null | string replace -rf '^([a-z_]+): (.*)' '$1\t$2'
end

# scenarios or bots of the game on the command line
function __agon_list -a what
    for game in (agon games 2>/dev/null | string replace -rf '^([a-z_]+): .*' '$1')
        contains $game (commandline -opc); or continue
        agon games | sed -n "/^$game: /,/^[a-z]/s/^  $what *//p" | string split ', '
    end
end

function __agon_no_game
    for game in (agon games 2>/dev/null | string replace -rf '^([a-z_]+): .*' '$1')
        contains $game (commandline -opc); and return 1
    end
    return 0
end

set -l commands games rules watch simulate engine bench
set -l in __fish_seen_subcommand_from

complete -c agon -f
complete -c agon -s '?' -l help -d 'Tell about the command'
complete -c agon -l usage -d 'Tell in short'
complete -c agon -s V -l version -d 'Print the version'
complete -c agon -n "not $in $commands" -a games -d 'List what can be played, and by which house bots'
complete -c agon -n "not $in $commands" -a rules -d 'Tell how a game is played'
complete -c agon -n "not $in $commands" -a watch -d 'Watch house bots play'
complete -c agon -n "not $in $commands" -a simulate -d 'Play many games with house bots and compare them'
complete -c agon -n "not $in $commands" -a engine -d 'Put a game behind JSON lines'
complete -c agon -n "not $in $commands" -a bench -d 'Measure the games on this machine'

complete -c agon -n "$in rules watch simulate engine; and __agon_no_game" -a '(__agon_games)'
complete -c agon -n "$in bench" -a '(__agon_games)'
complete -c agon -n "$in games rules simulate bench" -s j -l json -d 'One JSON object'
complete -c agon -n "$in rules watch simulate" -s s -l seats -x -d 'So many seats'
complete -c agon -n "$in rules watch simulate" -s S -l scenario -x -a '(__agon_list scenarios)' -d 'A scenario'
complete -c agon -n "$in rules watch simulate" -s R -l rules -x -d 'Options of the game, a JSON object'
complete -c agon -n "$in watch simulate" -s b -l bots -x -a '(__agon_list bots)' -d 'Who plays'
complete -c agon -n "$in watch simulate" -s e -l seed -x -d 'The same seed gives the same games'
complete -c agon -n "$in watch simulate" -s m -l max-steps -x -d 'Stop a game after so many steps'
complete -c agon -n "$in watch" -s f -l speed -x -d 'How fast'
complete -c agon -n "$in watch" -s v -l viewer -x -d 'Whose eyes'
complete -c agon -n "$in simulate" -s n -l games -x -d 'How many games'
complete -c agon -n "$in simulate" -s t -l threads -x -d 'How many threads'
complete -c agon -n "$in simulate" -s r -l replays -x -a '(__fish_complete_directories)' -d 'Keep replays in this folder'
complete -c agon -n "$in engine" -s r -l replay -r -F -d 'Write the replay to this file'
complete -c agon -n "$in bench" -s s -l seconds -x -d 'CPU seconds of work for each line'
