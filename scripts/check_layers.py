#!/usr/bin/env python3
"""Holds every #include to the map in CMakeLists.txt.

The map is the forerun_library(), forerun_tool() and forerun_plugin() lines: what a component may include is its own folder, the
libraries its MAY_USE names, and the packages its EXTERNAL names (cmake/Layers.cmake says which headers each package
is). This script adds no rule of its own.

usage: scripts/check_layers.py [--root FOLDER] [--table]
exit status: 0 the includes keep to the map, 1 some do not, 2 the map could not be read
"""
import argparse
import pathlib
import re
import sys
from dataclasses import dataclass, field

SYSTEM_FOLDERS = ("sys/", "linux/", "asm/", "arpa/", "net/", "netinet/")


@dataclass
class Component:
    name: str
    kind: str  # library, tool or plugin
    folder: str
    may_use: list = field(default_factory=list)
    external: list = field(default_factory=list)
    catalogues: list = field(default_factory=list)  # patterns of the files a catalogue compiles into it

    def allowed(self):
        return ", ".join(self.may_use + self.external) or "nothing"


def fail(message):
    sys.exit(f"check_layers: error: {message}")


def read_catalogues(root):
    """Kind of catalogue -> pattern of its units, from the GLOB of each _forerun_catalog_KIND in cmake/Catalog.cmake."""
    text = (root / "cmake/Catalog.cmake").read_text()
    return dict(re.findall(r"function\(_forerun_catalog_(\w+) target\)\s*file\(GLOB \w+ CONFIGURE_DEPENDS "
                           r"\$\{PROJECT_SOURCE_DIR\}/([^)\s]+)\)", text))


def read_map(root):
    """The components of CMakeLists.txt in order, and the folders that add_subdirectory() keeps apart."""
    catalogues = read_catalogues(root)
    text = re.sub(r"#.*", "", (root / "CMakeLists.txt").read_text())
    components, keywords = [], {"DIR", "MAY_USE", "EXTERNAL", "CATALOG"}
    for kind, arguments in re.findall(r"forerun_(library|tool|plugin)\s*\(([^)]*)\)", text):
        name, *words = arguments.split()
        values, key = {word: [] for word in keywords}, None
        for word in words:
            if word in keywords:
                key = word
            elif key is None:
                fail(f"CMakeLists.txt: '{word}' stands before any keyword of '{name}'")
            else:
                values[key].append(word)
        unknown = [kind for kind in values["CATALOG"] if kind not in catalogues]
        if unknown:
            fail(f"CMakeLists.txt: '{name}' has an unknown CATALOG '{unknown[0]}'")
        if len(values["DIR"]) != 1:
            fail(f"CMakeLists.txt: '{name}' needs one DIR")
        components.append(Component(name, kind, values["DIR"][0], values["MAY_USE"],
                                    values["EXTERNAL"], [catalogues[kind] for kind in values["CATALOG"]]))
    if not components:
        fail("CMakeLists.txt has no forerun_library() line")
    return components, re.findall(r"add_subdirectory\s*\(\s*([^\s)]+)", text)


def read_packages(root):
    """Header prefix -> package, from `set(FORERUN_EXTERNAL_x target)  # headers: a/ b.h` in cmake/Layers.cmake."""
    lines = re.findall(r"^set\(FORERUN_EXTERNAL_(\w+) [^)]*\)[ \t]*(?:# headers: (.*))?$",
                       (root / "cmake/Layers.cmake").read_text(), re.M)
    return {prefix: package for package, headers in lines for prefix in headers.split()}


def check_order(components):
    """Arrows point down: a line may use only what stands above it."""
    known = set()
    for component in components:
        for name in component.may_use:
            if name not in known:
                yield f"CMakeLists.txt: error: '{component.name}' may use '{name}', which no line above it declares"
        known.add(component.name)


def owners(root, components):
    """File -> component."""
    found = {}
    for component in components:
        patterns = [f"{component.folder}/*.{kind}" for kind in ("cpp", "h", "def")]
        headers = [pattern[:-3] + "h" for pattern in component.catalogues if pattern.endswith("/*.cpp")]
        for pattern in patterns + component.catalogues + headers:
            found.update({path.relative_to(root).as_posix(): component for path in root.glob(pattern)})
    return {name: component for name, component in found.items() if not name.endswith(".json")}


def include_problem(component, quoted, target, owner, packages):
    other = owner.get(target)
    if other is component or (other and other.name in component.may_use):
        return None
    package = next((package for prefix, package in packages.items() if target.startswith(prefix)), None)
    if not other and package in component.external:
        return None
    if not other and not package and quoted:
        return f"'{target}' is no file of a component; includes are rooted at the repository"
    if not other and not package and ("/" not in target or target.startswith(SYSTEM_FOLDERS)):
        return None
    return f"{component.kind} '{component.name}' may not include '{target}'; it may use: {component.allowed()}"


def check_file(root, name, component, owner, packages):
    text = (root / name).read_text(errors="replace")
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*(["<])([^">]+)[">]', line)
        if not match:
            continue
        problem = include_problem(component, match[1] == '"', match[2], owner, packages)
        if problem:
            yield f"{name}:{number}: error: {problem}"


def check_owned(root, owner, components, apart):
    """A source of ours that no line of the map compiles would be checked by nobody."""
    tops = {component.folder.split("/")[0] for component in components} | {"layers"}
    for top in sorted(tops):
        for path in sorted((root / top).rglob("*.cpp")):
            name = path.relative_to(root).as_posix()
            fixture = top == "rules" and name.count("/") == 3 and not name.endswith("/rule.cpp")
            if name not in owner and not fixture and not name.startswith(tuple(folder + "/" for folder in apart)):
                yield f"{name}:1: error: no line of CMakeLists.txt compiles this folder"


def table(components):
    rows = ["| component | folder | may use | packages |", "| --- | --- | --- | --- |"]
    for c in components:
        name = f"**{c.name}**" if c.kind != "library" else c.name
        rows.append(f"| {name} | `{c.folder}/` | {', '.join(c.may_use) or '-'} | {', '.join(c.external) or '-'} |")
    return "\n".join(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--table", action="store_true", help="print the map as a Markdown table")
    arguments = parser.parse_args()
    components, apart = read_map(arguments.root)
    if arguments.table:
        print(table(components))
        return 0
    packages = read_packages(arguments.root)
    owner = owners(arguments.root, components)
    problems = list(check_order(components))
    for name in sorted(owner):
        problems += check_file(arguments.root, name, owner[name], owner, packages)
    problems += check_owned(arguments.root, owner, components, apart)
    print(*problems, sep="\n", end="\n" if problems else "", file=sys.stderr)
    if not problems:
        print(f"check_layers: {len(owner)} files of {len(components)} components keep to the map")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
