"""Options that make an otherwise plain program run another one, write a file, or read a list of files, as data."""

from __future__ import annotations

from .options import Options

OPTIONS: dict[str, Options] = {
    "cargo": Options(
        letters="ZC", words=("+",), long=("config", "manifest-path", "target-dir", "lockfile-path", "artifact-dir")
    ),
    "curl": Options(
        letters="oOKTJcD",
        values="XHdAeubFmrwxUE",
        long=(
            *(
                "output",
                "remote-name",
                "config",
                "upload-file",
                "output-dir",
                "trace",
                "trace-ascii",
                "dump-header",
                "stderr",
            ),
            *("cookie-jar", "libcurl", "engine", "etag-save", "hsts", "alt-svc", "create-dirs", "netrc-file"),
        ),
    ),
    "date": Options(letters="sf", values="dr", long=("set", "file")),
    "diff": Options(letters="l", values="CUIFxXW", long=("paginate",)),
    "dotnet": Options(letters="o", long=("output", "logger", "settings")),
    "du": Options(values="dBtX", long=("files0-from",)),
    "eslint": Options(
        letters="co",
        long=("config", "rulesdir", "plugin", "resolve-plugins-relative-to", "output-file", "parser", "format"),
    ),
    "file": Options(
        letters="CfzZmS", values="eFP", long=("compile", "files-from", "magic-file", "uncompress", "no-sandbox")
    ),
    "go": Options(
        words=(
            *("-exec", "--exec", "-toolexec", "--toolexec", "-overlay", "--overlay", "-modfile", "--modfile"),
            *("-C", "-o", "-pkgdir", "--pkgdir"),
        )
    ),
    "ip": Options(letters="b", long=("batch", "netns")),
    "jest": Options(
        letters="c", long=("config", "rootDir", "globalSetup", "setupFiles", "runner", "testRunner", "outputFile")
    ),
    "jq": Options(letters="L", long=("library-path", "from-file")),
    "less": Options(words=("-", "+")),
    "make": Options(letters="fCIE", values="jlo", long=("file", "makefile", "directory", "eval", "include-dir")),
    "man": Options(letters="PHTZ", long=("pager", "html", "troff", "browser", "ditroff", "gxditview")),
    "mypy": Options(
        long=(
            *("config-file", "python-executable", "custom-typeshed-dir", "cache-dir", "install-types", "junit-xml"),
            "html-report",
        )
    ),
    "npm": Options(
        letters="gC",
        long=(
            *("prefix", "global", "script-shell", "node-options", "userconfig", "globalconfig", "init-module"),
            "location",
        ),
    ),
    "pytest": Options(
        letters="pco",
        values="krmnW",
        long=(
            *(
                "rootdir",
                "confcutdir",
                "override-ini",
                "basetemp",
                "junit-xml",
                "junitxml",
                "log-file",
                "pdbcls",
                "debug",
            ),
            *("pastebin", "config-file", "pyargs", "resultlog", "report-log", "html"),
        ),
    ),
    "rg": Options(letters="z", values="ABCEfgjMmrtTe", long=("pre", "hostname-bin", "search-zip")),
    "rsync": Options(letters="e", values="f", long=("rsh", "rsync-path", "files-from")),
    "ruff": Options(long=("config", "cache-dir", "output-file")),
    "scp": Options(letters="SoF", values="clP"),
    "sort": Options(
        letters="oT",
        values="kSt",
        long=("output", "compress-program", "temporary-directory", "files0-from", "random-source"),
    ),
    "tar": Options(
        letters="IFP",
        values="fCXTNKLHVbg",
        long=(
            *("to-command", "checkpoint-action", "use-compress-program", "info-script", "new-volume-script"),
            *("rsh-command", "rmt-command", "absolute-names"),
        ),
    ),
    "tree": Options(letters="oR", values="LPI", long=("fromfile", "output")),
    "tsc": Options(letters="p", long=("project", "outDir", "outFile", "build")),
    "uv": Options(
        long=(
            *("config-file", "directory", "project", "env-file", "with-editable", "python", "index-url"),
            "default-index",
        )
    ),
    "wc": Options(long=("files0-from",)),
    "wget": Options(
        letters="OoPeai",
        values="tTwQU",
        long=(
            *("output-document", "output-file", "directory-prefix", "execute", "use-askpass", "append-output"),
            *("post-file", "body-file", "input-file", "config", "save-cookies"),
        ),
    ),
    "xxd": Options(letters="r"),
    "zip": Options(letters="T", values="bcnt", long=("unzip-command", "test")),
}
