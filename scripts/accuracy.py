"""docs/accuracy.md out of docs/accuracy/: findings.tsv and repositories.tsv, one row each, and bugs.md.

The columns of findings.tsv are repository, commit, place (file:line; file#cell:line in a notebook), rule, level, verdict (true or false), state
(reported: the rules say so today; mended: they did, and no longer do) and reason. Those of repositories.tsv are repository, commit, files, errors and
warnings that are reported today, and how many of them were read.
"""
import collections
import csv

HEAD = """# Findings in public code, judged by hand

Errors and warnings that `forerun lint` gives on public training code, each read in its place: the function, its callers, the class. `true`: the code does
what the finding says, and its author would want to know. Everything else is `false`: deliberate code, unit tests, what costs nothing there.

Whole repositories were read, not picked findings. Where one gives many findings of one rule with one pattern, only every n-th was read; the table of
repositories says how many of how many. False alarms that led to a change of a rule stay in the table as `mended`, so that they are not made again: the
precision of the rules as they are counts what they report today, the other figure all that was ever read. The rules were changed while these repositories
were read, so that the first figure says little about code that nobody has looked at yet; the second one is the safer guess.
"""


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def share(found):
    true = sum(row["verdict"] == "true" for row in found)
    return f"{true} | {len(found) - true} | {100 * true / len(found):.0f} %" if found else "0 | 0 | -"


def cell(text):
    return text.replace("|", "\\|").replace("_", "\\_").replace("*", "\\*")


def page(folder):
    found, repositories = rows(folder / "findings.tsv"), rows(folder / "repositories.tsv")
    for row in found:
        if row["verdict"] not in ("true", "false") or row["state"] not in ("reported", "mended") or row["level"] not in ("error", "warning"):
            raise ValueError(f"findings.tsv: {row['repository']} {row['place']}: no such level, verdict or state")
    today = [row for row in found if row["state"] == "reported"]
    read = {row["repository"] for row in repositories}
    text = HEAD + (f"\n{len(found)} findings were read in {len(read)} repositories; {len(today)} of them are reported today, "
                   f"{len(found) - len(today)} are mended.\n")
    text += "\n| level | what is counted | true | false | precision |\n| --- | --- | --- | --- | --- |\n"
    for level in ("error", "warning"):
        text += f"| {level} | the rules as they are | {share([row for row in today if row['level'] == level])} |\n"
        text += f"| {level} | all that was read | {share([row for row in found if row['level'] == level])} |\n"
    text += "\n## By rule\n\nWhat is reported today.\n\n| rule | level | true | false | precision | mended |\n| --- | --- | --- | --- | --- | --- |\n"
    by_rule = collections.defaultdict(list)
    for row in found:
        by_rule[row["rule"], row["level"]].append(row)
    for (rule, level), group in sorted(by_rule.items()):
        now = [row for row in group if row["state"] == "reported"]
        text += f"| {rule} | {level} | {share(now)} | {len(group) - len(now)} |\n"
    text += "\n" + (folder / "bugs.md").read_text(encoding="utf-8")
    text += ("\n## Repositories\n\n| repository | commit | files | errors | warnings | read |\n| --- | --- | --- | --- | --- | --- |\n")
    for row in repositories:
        text += f"| {row['repository']} | {row['commit']} | {row['files']} | {row['errors']} | {row['warnings']} | {row['read']} |\n"
    text += "\n## Findings\n\n| repository | place | rule | level | verdict | reason |\n| --- | --- | --- | --- | --- | --- |\n"
    for row in found:
        reason = ("mended: " if row["state"] == "mended" else "") + row["reason"]
        text += f"| {row['repository']} | {cell(row['place'])} | {row['rule']} | {row['level']} | {row['verdict']} | {cell(reason)} |\n"
    return text
