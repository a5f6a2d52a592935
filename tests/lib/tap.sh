# shellcheck shell=sh
# tap.sh - the Test Anything Protocol for shell tests; source it.
ran=0
failed=0

# skip_all REASON: end the test, nothing to do here.
skip_all()
{
    echo "1..0 # SKIP $1"
    exit 0
}

# ok NAME COMMAND...: passes where the command does.
ok()
{
    name=$1
    shift
    ran=$((ran + 1))
    if "$@"; then
        echo "ok $ran - $name"
    else
        failed=$((failed + 1))
        echo "not ok $ran - $name"
    fi
}

# is NAME GOT WANTED
is()
{
    ok "$1" test "$2" = "$3"
    test "$2" = "$3" || printf '# got %s, wanted %s\n' "$2" "$3"
}

# has NAME TEXT PART: passes where TEXT has PART in it.
has()
{
    case $2 in
    *"$3"*) ok "$1" true ;;
    *)
        ok "$1" false
        printf '%s\n' "$2" | sed 's/^/# got /'
        ;;
    esac
}

tap_done()
{
    echo "1..$ran"
    test "$failed" -eq 0
}
