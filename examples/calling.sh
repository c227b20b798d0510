# Start, answer, reward with curl: see docs/calling.md.
set -eu
study="$ASKLESS_ADDRESS/v1/studies/$ASKLESS_STUDY"

call() {  # the key goes in by stdin: others on the machine can see what stands in a command
  printf 'header = "Authorization: Bearer %s"\n' "$ASKLESS_KEY" |
    curl --config - --silent --show-error --fail-with-body --retry 5 \
      --json "$2" "$study/$1"
  echo
}

visit=$(call visits '{"id": "person 7 of curl"}')
echo "$visit"
visit=$(echo "$visit" | sed 's/.*"visit":"\([^"]*\)".*/\1/')
call "visits/$visit/answers" '{"answers": {"age": 44, "donor": true, "cause": "climate",
  "income": 5, "newsletter": false, "region": "north", "media": ["web"], "children": null}}'
call "visits/$visit/reward" '{"reward": 25}'
