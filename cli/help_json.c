/* The tables themselves, for programs: what a front end or a test needs to know of every option. */
#include "help.h"

#include "json.h"

static const char *const kind_names[] = {"flag", "int", "real", "choice", "text"};

static void add_choices(cJSON *object, const ney_param *row)
{
    char word[64];
    cJSON *choices = json_array(object, "choices");

    for (int k = 0; word_at(row->choices, k, word, sizeof word); k++) {
        json_text(choices, NULL, word);
    }
    if (row->initial >= 0 && word_at(row->choices, (int)row->initial, word, sizeof word)) {
        json_text(object, "default", word);
    }
}

static void add_option(cJSON *list, const command *c, const option_set *set, const ney_param *row)
{
    const char *where = command_where(c, set, row);
    cJSON *object = json_object(list, NULL);

    json_text(object, "name", row->name);
    json_text(object, "flag", row->flag ? (const char[]){row->flag, '\0'} : NULL);
    json_text(object, "set", set->title);
    json_text(object, "kind", kind_names[row->kind]);
    if (row->kind == NEY_KIND_INT || row->kind == NEY_KIND_REAL) {
        json_real(object, "default", row->initial);
        json_real(object, "low", row->low);
        json_real(object, "high", row->high);
    } else if (row->kind == NEY_KIND_CHOICE) {
        add_choices(object, row);
    }
    json_text(object, "arg", row->arg);
    json_text(object, "help", row->help);
    json_bool(object, "list", option_separator(row) != NULL);
    if (where) {
        json_text(object, "applies_to", where);
    }
}

static void add_command(cJSON *list, const command *c)
{
    cJSON *object = json_object(list, NULL);
    char usage[PHRASE];
    const option_set *set;

    usage_text(c, usage);
    json_text(object, "name", c->name);
    json_text(object, "group", c->group);
    json_text(object, "usage", usage);
    json_text(object, "summary", c->summary);
    json_text(object, "description", c->description);
    json_text(object, "required", c->required);
    cJSON *options = json_array(object, "options");
    for (int k = 0; (set = command_set(c, k)); k++) {
        int64_t n;
        const ney_param *rows = set_rows(set, &n);
        for (int64_t r = 0; r < n; r++) {
            if (command_takes(c, set, &rows[r])) {
                add_option(options, c, set, &rows[r]);
            }
        }
    }
}

void help_json(FILE *out, const command *c)
{
    cJSON *root = json_new(), *list = json_array(root, "commands");

    json_text(root, "version", ney_version());
    for (int i = 0; commands[i]; i++) {
        if (!c || c == commands[i]) {
            add_command(list, commands[i]);
        }
    }
    json_print(root, out);
    cJSON_Delete(root);
}
