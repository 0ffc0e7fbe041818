/* A model card: what an auditor needs about a model, as one result. */
#ifndef CLI_CARD_H
#define CLI_CARD_H

#include "output.h"
#include "result.h"

/* Write a card as Markdown. */
void card_write(output *out, const ney_result *root);

#endif
