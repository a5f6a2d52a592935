#!/bin/sh
# The rules of style that a program can see, over every C file.
cd "${top_srcdir:-.}" || exit 1
find src tests bench \( -name '*.[ch]' -o -name '*.cu' \) -print | sort |
    LC_ALL=C xargs "${AWK:-awk}" '
    function bad(why) { print "not ok " ++n " - " FILENAME ":" FNR ": " why }
    FNR == 1 {
        files++
        start = 0
        if ($0 != "/* SPDX-License-Identifier: BSD-3-Clause */")
            bad("the first line is the SPDX line")
        name = FILENAME
        sub(/.*\//, "", name)
    }
    FNR == 2 && FILENAME ~ /^src/ && index($0, "/* " name " - ") != 1 {
        bad("the second line says what the file is: /* " name " - ...")
    }
    /\t/ { bad("a tab") }
    / $/ { bad("a space at the end") }
    /TODO|FIXME|(^|[^X])XXX($|[^X])/ { bad("something left to do") }
    /typedef (struct|union|enum)/ { bad("typedef hides a struct") }
    /^#ifndef .*_H$/ && FILENAME ~ /^src.*\.h$/ {
        split(FILENAME, path, "/")
        guard = toupper("TT_" path[2] "_" name)
        if (index(name, path[2] "_") == 1) guard = toupper("TT_" name)
        gsub(/[.-]/, "_", guard)
        if ($2 != guard) bad("the guard is " guard)
    }
    {
        line = $0
        gsub(/[\200-\277]/, "", line)
        if (length(line) > 80) bad("longer than 80 columns")
    }
    /^\{/ { start = FNR }
    /^}/ {
        if (start && FNR - start - 1 > 80)
            bad("a function of " FNR - start - 1 " lines")
        start = 0
    }
    END {
        if (!n) print "ok " ++n " - " files " files"
        print "1.." n
    }'
