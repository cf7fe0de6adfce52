# Joins the lines of sentences that a pipe of 100 columns broke: a line goes on in the next one where that line's first word did not fit behind it.
# Rows of tables, which have gaps of two blanks, are left alone.
{
    blanks = match($0, /[^ ]/) - 1; rest = substr($0, blanks + 1); word = rest; sub(/ .*/, "", word); if (rest ~ /^[^ ]+ %/) { word = rest; sub(/ %.*/, " %", word) }
    goes_on = NR > 1 && rest != "" && room && room + 1 + length(word) > 100 && (blanks == begin || blanks == begin + 2)
    if (goes_on) text = text " " rest
    else { if (NR > 1) print text; text = $0; begin = blanks }
    room = rest !~ /  / && length($0) <= 100 ? length($0) : 0
}
END { if (NR) print text }
