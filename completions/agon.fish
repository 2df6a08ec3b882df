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

set -l commands games rules watch simulate engine replay bench
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
complete -c agon -n "not $in $commands" -a replay -d 'Look at a match again, verify it, take it apart'
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

set -l replays show verify info export import cut
complete -c agon -n "$in replay; and not $in $replays" -a show -d 'Step through a match in the terminal, or print it'
complete -c agon -n "$in replay; and not $in $replays" -a verify -d 'Play it again and compare the hashes'
complete -c agon -n "$in replay; and not $in $replays" -a info -d 'Tell what a file holds'
complete -c agon -n "$in replay; and not $in $replays" -a export -d 'Write it as JSON, JSON lines or a tetris step log'
complete -c agon -n "$in replay; and not $in $replays" -a import -d 'Make a replay of a tetris step log'
complete -c agon -n "$in replay; and not $in $replays" -a cut -d 'Take the first steps, to be continued'
complete -c agon -n "$in replay; and $in $replays" -F
complete -c agon -n "$in replay; and $in $replays" -l key -x -d 'The match key, 64 hex digits'
complete -c agon -n "$in replay; and $in show export" -s s -l seat -x -a 'all gallery' -d 'Whose eyes'
complete -c agon -n "$in replay; and $in show" -l step -x -d 'Begin there'
complete -c agon -n "$in replay; and $in show" -s t -l text -d 'As text'
complete -c agon -n "$in replay; and $in verify info" -s j -l json -d 'As JSON'
complete -c agon -n "$in replay; and $in verify" -s q -l quiet -d 'Tell only of failures'
complete -c agon -n "$in replay; and $in verify" -l shrink -r -F -d 'Write the shortest prefix that fails'
complete -c agon -n "$in replay; and $in export" -s f -l format -x -a 'json jsonl agt' -d 'Which form'
complete -c agon -n "$in replay; and $in export" -l hash -x -a 'agon compat' -d 'Of a step log'
complete -c agon -n "$in replay; and $in export import cut" -s o -l output -r -F -d 'Where to write it'
