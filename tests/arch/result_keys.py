"""The keys of results: what the sources add to a ney_result, and to the metadata of models."""

import re

from modules import c_files, without_comments

# A call that adds a value under a key that is written out.
ADD = re.compile(r'\b(?:ney_result_add_\w+|result_name|result_rate|add_(?:rate|set_rate|values|error|'
                 r'points|real_of_method|count_of_method|summary_text|rate_certificate))'
                 r'\s*\(\s*[^;"]*?"(\w+)"')
METADATA = re.compile(r'\bney_model_set_(?:number|text)\s*\([^;]*?"(\w+)"')
# Rows of a table of metadata: {"key", NULL, value} or {"key", value}.
ROW = re.compile(r'\{\s*"(\w+)",\s*[^"{}]')
ROW_FILES = re.compile(r"ney_set_metadata\s*\(|ney_model_set_number\s*\([^;]*\.key")


def result_keys(root, folders):
    """{key: file} of every key that a result gets in these folders."""
    return _found(root, folders, lambda text: ADD.findall(text))


def metadata_keys(root, folders):
    """{key: file} of every key that a model's metadata get."""
    def keys(text):
        rows = ROW.findall(text) if ROW_FILES.search(text) else []
        return METADATA.findall(text) + rows
    return _found(root, folders, keys)


def _found(root, folders, keys):
    found = {}
    for folder in folders:
        for path in c_files(root / folder):
            for key in keys(without_comments(path.read_text())):
                found.setdefault(key, str(path.relative_to(root)))
    return found
