"""benchmarks/lint_recall on made-up cases and made-up tools, which print what the real ones print in their formats."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.abspath(sys.argv.pop(1))


def case(number, expected, also=(), language='python'):
    entries = [[{'line': line, 'hazard': hazard} for line, hazard in some] for some in (expected, also)]
    return {'id': f'{number:03}', 'file': f'{number:03}.py', 'language': language, 'verdict': 'hazard' if expected else 'clean',
            'expected': entries[0], 'also_acceptable': entries[1]}


CASES = [case(1, [(5, 'zero-grad-missing')], [(4, 'zero-grad-missing')]),
         case(2, [(5, 'host-sync-in-loop'), (6, 'host-sync-in-loop')]),
         case(3, [(7, 'graph-kept-container')]),
         case(4, [])]


class LintRecall(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(os.path.realpath(kept.name))
        self.cases = self.folder / 'cases'
        self.cases.mkdir()
        (self.folder / 'tools').mkdir()
        (self.cases / 'index.json').write_text(json.dumps(CASES))
        for one in CASES:
            (self.cases / one['file']).write_text('')
        self.forerun([])

    def tool(self, name, printed, status=0):
        path = self.folder / 'tools' / name
        path.write_text(f'#!{sys.executable}\nimport sys\nif "--version" in sys.argv:\n    print("it 9.8.7")\n    sys.exit()\n'
                        f'print({printed!r})\nsys.exit({status})\n')
        path.chmod(0o755)

    def forerun(self, reports):
        self.tool('forerun-lint', json.dumps({'could_not_check': [], 'findings': [
            {'location': {'file': self.path(number), 'line': line}, 'rule': rule} for number, line, rule in reports]}))

    def preflight(self, reports, failures=()):
        self.tool('torch-preflight', json.dumps({'failures': [{'path': self.path(number)} for number in failures], 'diagnostics': [
            {'path': self.path(number), 'line': line, 'code': code} for number, line, code in reports]}), 1)

    def path(self, number):
        return str(self.cases / f'{number:03}.py')

    def run_it(self, *more):
        tools = str(self.folder / 'tools')
        return subprocess.run([sys.executable, SCRIPT, '--bin', tools, '--peers', tools, *more, str(self.cases)], capture_output=True, text=True)

    def row(self, tool):
        """found/total, any/total, alarms, elsewhere, unread."""
        answer = self.run_it()
        self.assertEqual(answer.returncode, 0, answer.stderr)
        words = next(line for line in answer.stdout.splitlines() if line.split()[1] == tool).split()
        self.assertEqual(words[2], '9.8.7')
        return words[3:]

    def test_expected_and_acceptable_lines(self):
        self.forerun([(1, 4, 'zero-grad-missing'), (2, 6, 'host-sync-in-loop')])
        self.assertEqual(self.row('forerun'), ['2/3', '2/3', '0', '0', '0'])

    def test_another_id_on_the_line_counts_for_the_generous_count_only(self):
        self.preflight([(1, 5, 'TG008'), (3, 7, 'TG001')])
        self.assertEqual(self.row('torch-preflight'), ['1/3', '2/3', '0', '0', '0'])

    def test_a_mapped_id_on_another_line_is_neither_found_nor_an_alarm(self):
        self.preflight([(1, 9, 'TG003')])
        self.assertEqual(self.row('torch-preflight'), ['0/3', '0/3', '0', '1', '0'])

    def test_alarms_in_clean_cases_and_in_those_of_other_hazards(self):
        self.preflight([(4, 1, 'TG003'), (4, 1, 'TG003'), (3, 2, 'TG005'), (4, 2, 'TG008')])
        self.assertEqual(self.row('torch-preflight'), ['0/3', '0/3', '2', '0', '0'], 'one a line and id; TG008 is mapped to nothing')

    def test_unread_cases_are_said(self):
        self.preflight([], failures=[2])
        self.assertEqual(self.row('torch-preflight'), ['0/3', '0/3', '0', '0', '1'])

    def test_formats_of_torchfix_and_ruff(self):
        self.tool('torchfix', f'{self.path(4)}:3:1: TOR102 [*] unsafe\n{self.path(1)}:5:3: TOR101 old')
        self.tool('ruff', json.dumps([{'filename': self.path(3), 'location': {'row': 7}, 'code': 'D100'},
                                      {'filename': self.path(4), 'location': {'row': 1}, 'code': 'S301'}]), 1)
        self.assertEqual(self.row('TorchFix'), ['0/3', '1/3', '1', '0', '0'])
        self.assertEqual(self.row('ruff'), ['0/3', '1/3', '1', '0', '0'])

    def test_clang_tidy_in_both_rows(self):
        (self.cases / 'index.json').write_text(json.dumps([case(1, [(5, 'no-grad-guard-unnamed')], language='c++'), case(4, [], language='c++')]))
        self.tool('tidy', f'{self.path(1)}:5:3: warning: unused [bugprone-unused-raii]\n{self.path(1)}:5:3: warning: null [clang-analyzer-core.x]')
        answer = self.run_it('--clang-tidy', str(self.folder / 'tools/tidy'), '--torch', str(self.folder))
        rows = [line.split()[-5:] for line in answer.stdout.splitlines() if 'clang-tidy' in line]
        self.assertEqual(rows, [['0/1', '1/1', '0', '0', '0'], ['1/1', '1/1', '0', '0', '0']], answer.stderr)

    def test_absent_is_named_and_has_no_row(self):
        answer = self.run_it()
        self.assertIn('\nruff: absent (not found)', answer.stdout)
        self.assertNotIn('0/3    0/3', answer.stdout.split('ruff')[1].splitlines()[0])

    def test_a_tool_that_fails_is_an_error_and_not_a_zero(self):
        self.tool('ruff', '', 3)
        answer = self.run_it()
        self.assertEqual(answer.returncode, 2)
        self.assertIn('ends with status 3', answer.stderr)

    def test_no_cases(self):
        (self.cases / 'index.json').unlink()
        self.assertEqual(self.run_it().returncode, 2)


unittest.main()
