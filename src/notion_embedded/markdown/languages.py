"""Names of code languages: the ones that Notion knows, and what people write for them."""

PLAIN_TEXT = "plain text"

LANGUAGES = frozenset({
    "abap", "abc", "agda", "arduino", "ascii art", "assembly", "bash", "basic", "bnf", "c", "c#", "c++",
    "clojure", "coffeescript", "coq", "css", "dart", "dhall", "diff", "docker", "ebnf", "elixir", "elm",
    "erlang", "f#", "flow", "fortran", "gherkin", "glsl", "go", "graphql", "groovy", "haskell", "hcl",
    "html", "idris", "java", "javascript", "json", "julia", "kotlin", "latex", "less", "lisp",
    "livescript", "llvm ir", "lua", "makefile", "markdown", "markup", "matlab", "mathematica",
    "mermaid", "nix", "notion formula", "objective-c", "ocaml", "pascal", "perl", "php", PLAIN_TEXT,
    "powershell", "prolog", "protobuf", "purescript", "python", "r", "racket", "reason", "ruby", "rust",
    "sass", "scala", "scheme", "scss", "shell", "smalltalk", "solidity", "sql", "swift", "toml",
    "typescript", "vb.net", "verilog", "vhdl", "visual basic", "webassembly", "xml", "yaml",
    "java/c/c++/c#",
})  # fmt: skip

ALIASES = {
    "asm": "assembly", "cc": "c++", "cjs": "javascript", "console": "shell", "cpp": "c++", "cs": "c#",
    "csharp": "c#", "cxx": "c++", "dockerfile": "docker", "ex": "elixir", "exs": "elixir", "fs": "f#",
    "fsharp": "f#", "gql": "graphql", "golang": "go", "h": "c", "hpp": "c++", "hs": "haskell", "htm": "html",
    "jl": "julia", "js": "javascript", "json5": "json", "jsonc": "json", "jsx": "javascript", "kt": "kotlin",
    "make": "makefile", "md": "markdown", "mjs": "javascript", "objc": "objective-c", "patch": "diff",
    "pl": "perl", "proto": "protobuf", "ps1": "powershell", "pwsh": "powershell", "py": "python",
    "py3": "python", "python3": "python", "rb": "ruby", "rs": "rust", "sh": "shell", "sol": "solidity",
    "svg": "xml", "terraform": "hcl", "tex": "latex", "tf": "hcl", "ts": "typescript", "tsx": "typescript",
    "vb": "vb.net", "wasm": "webassembly", "yml": "yaml", "zsh": "shell",
}  # fmt: skip
"""Short names of languages, each with the name that Notion uses."""


def find_language(info: str) -> str:
    """Return Notion's name for the info string of a code fence; plain text when it has none."""
    whole = info.strip().lower()
    first = whole.split(maxsplit=1)[0] if whole else ""
    for name in (whole, first, first.strip("{}.").partition(":")[0]):
        known = ALIASES.get(name, name)
        if known in LANGUAGES:
            return known
    return PLAIN_TEXT
