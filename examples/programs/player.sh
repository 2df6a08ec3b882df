#!/bin/sh
# A shell script as a player: it takes the first of the legal moves, and answers in words.
#
#     agon match coup --seat "cmd:sh examples/programs/player.sh" --seat house:rules --games 10
#     agon agent --game coup --bot "cmd:sh examples/programs/player.sh"
#
# Every line is one JSON object. "legal_text" has the legal moves, one a line, as "- raise AMOUNT, 400 to 10000"; ask a model for one
# of them with curl where `move` is made, and send back whatever it says as "text".
while IFS= read -r line; do
    id=$(printf '%s\n' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
    case $line in
    *'"op":"events"'*) ;; # nobody waits for an answer
    *'"op":"start"'*) echo "{\"id\":$id,\"ok\":true,\"want\":[\"prose\"]}" ;;
    *'"op":"choose"'*)
        move=$(printf '%s\n' "$line" | sed 's/.*"legal_text":"- //; s/\\n.*//; s/"}*$//; s/ (.*//')
        case $move in
        *', '*) # a range: its smallest value in the place of the word in capitals
            least=$(printf '%s\n' "$move" | sed 's/.*, .* \([0-9]*\) to .*/\1/; s/.*, \([0-9]*\) to .*/\1/')
            move=$(printf '%s\n' "${move%%, *}" | sed "s/[A-Z][A-Z][A-Z]*/$least/")
            ;;
        esac
        echo "{\"id\":$id,\"text\":\"Answer: $move\"}"
        ;;
    *) echo "{\"id\":$id,\"ok\":true}" ;;
    esac
done
