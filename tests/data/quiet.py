"""What native code writes to standard error, past Python."""

import os
import tempfile


class Quiet:
    """Keeps it as text instead of printing it."""

    def __enter__(self):
        self.file, self.kept = tempfile.TemporaryFile(), os.dup(2)
        os.dup2(self.file.fileno(), 2)
        return self

    def __exit__(self, *_):
        os.dup2(self.kept, 2)
        os.close(self.kept)
        self.file.seek(0)
        self.text = self.file.read().decode(errors="replace")
        self.file.close()
