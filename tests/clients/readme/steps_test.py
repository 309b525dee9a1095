"""Pages are read as they are meant, and outputs are compared."""

import unittest

from steps import Step, differs, steps_of

PAGE = """# A page

Text with `a command` that is none.

    first one \\
      and more
    second

    $ third
    printed by third
    $ fourth

Save this as `a.js`:

```js
let a;

    indented
```

and run

    fifth

```
printed by fifth
```

```python
print(1)
```

```
1
```
"""

TABLE = """CLIP  VERDICT  MB/s
a.bvh  valid  11.1
...
z.bvh  valid  26.8
3 of 3 clips converted, 0.4 MB in 0.02 s, 19.2 MB/s
"""


class StepsTest(unittest.TestCase):
    def test_steps_come_in_their_order(self):
        self.assertEqual(steps_of(PAGE), [
            Step(5, "first one \\\n  and more"),
            Step(7, "second"),
            Step(9, "third", shown="printed by third\n"),
            Step(11, "fourth"),
            Step(15, "let a;\n\n    indented\n", "js", "a.js"),
            Step(23, "fifth", shown="printed by fifth\n"),
            Step(29, "print(1)\n", "python", shown="1\n"),
        ])

    def test_what_cannot_be_followed_is_an_error(self):
        for page, said in (
                ("```js\nlet a;\n```\n", "1: a program in js that is not"),
                ("Save this as `a`.\n\nNo:\n\n```js\n1\n```\n", "not saved"),
                ("```\nprinted\n```\n", "1: an output of nothing"),
                ("    a\n\n```\n1\n```\n\n```\n2\n```\n", "7: an output of"),
                ("text\n\n```python\nprint(1)\n", "3: the block does not end")):
            with self.subTest(page):
                with self.assertRaisesRegex(ValueError, said):
                    steps_of(page)

    def expect(self, differ, shown, printed):
        self.assertEqual(differs(Step(1, "", shown=shown), printed), differ)

    def test_words_are_compared(self):
        self.expect(False, "a b\nc\n", "a  b c\n")
        self.expect(True, "a b\n", "a b c\n")
        self.expect(True, "a b c\n", "a b\n")
        self.expect(True, "a.c\n", "abc\n")
        self.expect(True, "ab\n", "a b\n")

    def test_dots_stand_for_anything(self):
        self.expect(False, "...\nlast\n", "last\n")
        self.expect(False, "...\nlast\n", "many words\nlast\n")
        self.expect(False, "first\n...\n", "first\nmore\n")
        self.expect(True, "...\nlast\n", "last\nmore\n")

    def test_speeds_are_not_compared(self):
        other = TABLE.replace("11.1", "9.9")
        other = other.replace("0.02 s, 19.2", "1.5 s, 0.1")
        self.expect(False, TABLE, other.replace("...", "m.bvh invalid 0.5"))
        self.expect(True, TABLE, other.replace("3 of 3", "2 of 3"))
        self.expect(True, TABLE, other.replace("valid  26", "invalid  26"))


if __name__ == "__main__":
    unittest.main()
