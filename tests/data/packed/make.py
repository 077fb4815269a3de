"""Packs small files as Python's own modules pack them: gzip, zipfile, tarfile.

    python3 make.py
"""

import gzip
import io
import pathlib
import tarfile
import zipfile

HERE = pathlib.Path(__file__).parent
XLA = HERE.parent / "plans" / "xla"
# 100 and 80 bytes meet, then 80 and 60: at 240 bytes 60 are avoidable.
PLAN = b"id,lower,upper,size,offset\na,0,2,100,0\nb,1,3,80,100\nc,2,4,60,180\n"
HALVES = ["train-buffer-assignment.txt", "train-live-range.txt"]
FOLDER = "a folder whose name alone has more than the hundred bytes " + "that a header has room for " * 2

# What else lies in a folder that somebody dumped into.
LITTER = {
    "module.before_optimizations.txt": b"HloModule before\n\nENTRY %e () -> s32[] {\n}\n",
    "notes.md": b"# Notes\n",
    "__MACOSX/._" + HALVES[0]: b"\0\5\x16\7 Finder",
    "empty.txt": b"",
    "ir.ll": b"; ModuleID = 'm'\n",
}


def main():
    halves = {name: (XLA / name).read_bytes() for name in HALVES}
    everything = LITTER | halves
    write = lambda name, content: (HERE / name).write_bytes(content)
    write("plan.csv.gz", gzip.compress(PLAN, mtime=0))
    named = io.BytesIO()
    with gzip.GzipFile("the plan.csv", "wb", fileobj=named, mtime=1) as file:
        file.write(PLAN[:30])
    # A gzip file may have several members, each with a name or without.
    write("members.csv.gz", named.getvalue() + gzip.compress(PLAN[30:], mtime=0))
    for name, content in halves.items():
        write(name + ".gz", gzip.compress(content, mtime=0))
    with zipfile.ZipFile(HERE / "dump.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir("dump")
        for name, content in everything.items():
            archive.writestr(zipfile.ZipInfo("dump/" + name), content, zipfile.ZIP_DEFLATED)
    with zipfile.ZipFile(HERE / "stored.zip", "w") as archive:
        archive.writestr(zipfile.ZipInfo("plan.csv.gz"), gzip.compress(PLAN, mtime=0))
    with zipfile.ZipFile(HERE / "two.zip", "w") as archive:
        for name in ["one.csv", "other.csv"]:
            archive.writestr(zipfile.ZipInfo(name), PLAN)
    # Two snapshots, the newer one first.
    with zipfile.ZipFile(HERE / "snapshots.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, year in [("after.pickle", 2026), ("before.pickle", 2025)]:
            info = zipfile.ZipInfo(name, (year, 1, 1, 0, 0, 0))
            content = (HERE.parent / "plans" / "torch" / "protocol4.pickle").read_bytes()
            archive.writestr(info, content, zipfile.ZIP_DEFLATED)
    for name, form in [("pax.tar.gz", tarfile.PAX_FORMAT), ("gnu.tar.gz", tarfile.GNU_FORMAT)]:
        plain = io.BytesIO()
        with tarfile.open(fileobj=plain, mode="w", format=form) as archive:
            folder = tarfile.TarInfo(FOLDER)
            folder.type = tarfile.DIRTYPE
            archive.addfile(folder)
            for member, content in everything.items():
                info = tarfile.TarInfo(f"{FOLDER}/{member}")
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
        write(name, gzip.compress(plain.getvalue(), mtime=0))


main()
