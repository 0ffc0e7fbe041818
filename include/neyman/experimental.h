/* Everything that the library exports: the stable interface and, by the headers of the folder
 * experimental, functions and structs that any release may change or remove. VERSIONING.md says
 * what is promised for which. A program that shall run with later libraries without being compiled
 * again includes <neyman/neyman.h> instead. */
#ifndef NEYMAN_EXPERIMENTAL_H
#define NEYMAN_EXPERIMENTAL_H

#include <neyman/neyman.h>

#include <neyman/experimental/comm.h>
#include <neyman/experimental/data.h>
#include <neyman/experimental/diagnostic.h>
#include <neyman/experimental/discovery.h>
#include <neyman/experimental/monitor.h>
#include <neyman/experimental/params.h>
#include <neyman/experimental/path.h>
#include <neyman/experimental/probability.h>
#include <neyman/experimental/profile.h>
#include <neyman/experimental/statements.h>
#include <neyman/experimental/stream.h>
#include <neyman/experimental/theory.h>
#include <neyman/experimental/train.h>
#include <neyman/experimental/trees.h>
#include <neyman/experimental/tune.h>

#endif
