/* The tables themselves, for programs: what a front end or a test needs to know of every option. */
#include "help.h"

#include "result.h"

static const char *const kind_names[] = {"flag", "int", "real", "choice", "text", "sizes"};

static void add_choices(ney_result *object, const ney_param *row)
{
    char word[64];
    ney_result *choices = ney_result_add_array(object, "choices");

    for (int k = 0; word_at(row->choices, k, word, sizeof word); k++) {
        ney_result_add_text(choices, NULL, word);
    }
    if (row->initial >= 0 && word_at(row->choices, (int)row->initial, word, sizeof word)) {
        ney_result_add_text(object, "default", word);
    }
}

static void add_option(ney_result *list, const command *c, const help_option *option)
{
    const ney_param *row = option->row;
    const char *where = command_where(c, option->set, row);
    ney_result *object = ney_result_add_object(list, NULL);

    ney_result_add_text(object, "name", row->name);
    ney_result_add_text(object, "flag", row->flag ? (const char[]){row->flag, '\0'} : NULL);
    ney_result_add_text(object, "set", option->set->title);
    ney_result_add_text(object, "heading", option->title);
    ney_result_add_bool(object, "everyday", is_everyday(c, row));
    ney_result_add_text(object, "kind", kind_names[row->kind]);
    if (row->kind == NEY_KIND_INT || row->kind == NEY_KIND_REAL || row->kind == NEY_KIND_SIZES) {
        ney_result_add_real(object, "default", row->initial);
        ney_result_add_real(object, "low", row->low);
        ney_result_add_real(object, "high", row->high);
    } else if (row->kind == NEY_KIND_CHOICE) {
        add_choices(object, row);
    }
    ney_result_add_text(object, "arg", row->arg);
    ney_result_add_text(object, "help", row->help);
    ney_result_add_bool(object, "list", option_separator(row) != NULL);
    if (where) {
        ney_result_add_text(object, "applies_to", where);
    }
}

static void add_command(ney_result *list, const command *c)
{
    ney_result *object = ney_result_add_object(list, NULL);
    char usage[PHRASE];
    help_option all[MOST_OPTIONS];
    const int n = help_options(c, all);

    usage_text(c, usage);
    ney_result_add_text(object, "name", c->name);
    ney_result_add_text(object, "group", c->group);
    ney_result_add_text(object, "usage", usage);
    ney_result_add_text(object, "summary", c->summary);
    ney_result_add_text(object, "description", c->description);
    ney_result_add_text(object, "details", c->details);
    ney_result_add_text(object, "required", c->required);
    ney_result *options = ney_result_add_array(object, "options");
    for (int i = 0; i < n; i++) {
        add_option(options, c, &all[i]);
    }
}

void help_json(FILE *out, const command *c)
{
    ney_result *root = result_new(), *list = ney_result_add_array(root, "commands");

    ney_result_add_text(root, "version", ney_version());
    for (int i = 0; commands[i]; i++) {
        if (!c || c == commands[i]) {
            add_command(list, commands[i]);
        }
    }
    result_print_json(root, out);
    ney_result_free(root);
}
