/* yaml.h - the part of YAML that data sets' metadata.yaml files are written in, as a document: maps and lists by
 * indentation, a value per line; texts in quotes or without, integers, null. Flow style ([a, b]), anchors and texts of
 * several lines are not read: such a value stays a text. A key that comes again counts as it stands last. */
#ifndef BASE_YAML_H
#define BASE_YAML_H

#include "base/doc.h"

/* *out: an object, the caller's to free. ST_INPUT when the file cannot be read, or names its line: deeper than 32
 * levels, or neither an entry of a list nor a key. */
enum st yaml_load(const char *path, doc **out, struct err *err) MUST_USE;

#endif
