/* Completion scripts for the shells, made from the tables. */
#include "help.h"

#include <string.h>

/* Call `each` for every option a command takes. */
static void for_options(FILE *out, const command *c,
                        void (*each)(FILE *out, const command *c, const ney_param *row))
{
    help_option list[MOST_OPTIONS];
    const int n = help_options(c, list);

    for (int i = 0; i < n; i++) {
        each(out, c, list[i].row);
    }
}

/* Whether the operands of a command are names of commands rather than of files. */
static bool takes_commands(const command *c)
{
    return strstr(c->operands, "COMMAND") != NULL;
}

/* Whether the value of an option is the name of a file. */
static bool takes_file(const ney_param *row)
{
    return row->kind == NEY_KIND_TEXT && word_in("FILE MODEL DATA", row->arg, strlen(row->arg));
}

/* Text within single quotes, with a backslash before each byte of `special`. */
static void put_quoted(FILE *out, const char *text, const char *quote, const char *special)
{
    for (; *text; text++) {
        if (*text == '\'') {
            fputs(quote, out);
        } else {
            if (strchr(special, *text)) {
                fputc('\\', out);
            }
            fputc(*text, out);
        }
    }
}

/* ------------------------------------------------------------------ bash */

static void bash_name(FILE *out, const command *c, const ney_param *row)
{
    (void)c;
    fprintf(out, " --%s", row->name);
    if (row->flag) {
        fprintf(out, " -%c", row->flag);
    }
}

static void bash_choices(FILE *out, const command *c, const ney_param *row)
{
    if (row->kind == NEY_KIND_CHOICE) {
        fprintf(out, "    '%s --%s') words='%s' ;;\n", c->name, row->name, row->choices);
    }
}

void help_bash(FILE *out)
{
    fputs("# bash completion for neyman; made by: neyman help --completion bash\n"
          "_neyman()\n{\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=\n"
          "    local commands='",
          out);
    for (int i = 0; commands[i]; i++) {
        fprintf(out, "%s%s", i ? " " : "", commands[i]->name);
    }
    fputs("'\n"
          "    COMPREPLY=()\n"
          "    if [[ $COMP_CWORD -eq 1 ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$commands --help --version\" -- \"$cur\"))\n"
          "        return\n"
          "    fi\n"
          "    [[ $cur == '=' ]] && cur=\n"
          "    [[ $prev == '=' ]] && prev=${COMP_WORDS[COMP_CWORD-2]}\n"
          "    case \"${COMP_WORDS[1]} $prev\" in\n",
          out);
    for (int i = 0; commands[i]; i++) {
        for_options(out, commands[i], bash_choices);
    }
    fputs("    esac\n"
          "    if [[ -z $words ]]; then\n"
          "        case \"${COMP_WORDS[1]} $cur\" in\n",
          out);
    for (int i = 0; commands[i]; i++) {
        fprintf(out, "        '%s -'*) words='", commands[i]->name);
        for_options(out, commands[i], bash_name);
        fputs("' ;;\n", out);
    }
    for (int i = 0; commands[i]; i++) {
        if (takes_commands(commands[i])) {
            fprintf(out, "        '%s '*) words=$commands ;;\n", commands[i]->name);
        }
    }
    fputs("        esac\n"
          "    fi\n"
          "    [[ -n $words ]] && COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
          "}\n"
          "complete -o default -F _neyman neyman\n",
          out);
}

/* ------------------------------------------------------------------ zsh */

static void zsh_option(FILE *out, const command *c, const ney_param *row)
{
    (void)c;
    fputs(" \\\n            ", out);
    if (row->flag) {
        fprintf(out, "'(-%c --%s)'{-%c%s,--%s%s}", row->flag, row->name, row->flag,
                row->arg ? "+" : "", row->name, row->arg ? "=" : "");
    } else {
        fprintf(out, "--%s%s", row->name, row->arg ? "=" : "");
    }
    fputs("'[", out);
    put_quoted(out, row->help, "'\\''", "[]\\");
    fputc(']', out);
    if (row->kind == NEY_KIND_CHOICE) {
        fprintf(out, ":%s:(%s)", row->arg, row->choices);
    } else if (row->arg) {
        fprintf(out, ":%s:%s", row->arg, takes_file(row) ? "_files" : " ");
    }
    fputc('\'', out);
}

void help_zsh(FILE *out)
{
    fputs("#compdef neyman\n"
          "# zsh completion for neyman; made by: neyman help --completion zsh\n"
          "_neyman() {\n"
          "    local -a names\n"
          "    names=(\n",
          out);
    for (int i = 0; commands[i]; i++) {
        fprintf(out, "        '%s:", commands[i]->name);
        put_quoted(out, commands[i]->summary, "'\\''", ":\\");
        fputs("'\n", out);
    }
    fputs("    )\n"
          "    if (( CURRENT == 2 )); then\n"
          "        _describe -t commands 'neyman command' names\n"
          "        return\n"
          "    fi\n"
          "    local command=$words[2]\n"
          "    shift words\n"
          "    (( CURRENT-- ))\n"
          "    case $command in\n",
          out);
    for (int i = 0; commands[i]; i++) {
        fprintf(out, "        %s)\n            _arguments -s", commands[i]->name);
        for_options(out, commands[i], zsh_option);
        fprintf(out, " \\\n            '*:%s'\n            ;;\n",
                takes_commands(commands[i]) ? "command:(${names%%:*})" : "file:_files");
    }
    fputs("    esac\n"
          "}\n"
          "if [ \"$funcstack[1]\" = _neyman ]; then\n"
          "    _neyman \"$@\"\n"
          "else\n"
          "    compdef _neyman neyman\n"
          "fi\n",
          out);
}

/* ------------------------------------------------------------------ fish */

static void fish_option(FILE *out, const command *c, const ney_param *row)
{
    fprintf(out, "complete -c neyman -n '__fish_seen_subcommand_from %s' -l %s", c->name,
            row->name);
    if (row->flag) {
        fprintf(out, " -s %c", row->flag);
    }
    if (row->kind == NEY_KIND_CHOICE) {
        fprintf(out, " -x -a '%s'", row->choices);
    } else if (row->arg) {
        fputs(takes_file(row) ? " -r" : " -x", out);
    }
    fputs(" -d '", out);
    put_quoted(out, row->help, "\\'", "\\");
    fputs("'\n", out);
}

void help_fish(FILE *out)
{
    fputs("# fish completion for neyman; made by: neyman help --completion fish\n"
          "complete -c neyman -n __fish_use_subcommand -f -l help -d 'the list of commands'\n"
          "complete -c neyman -n __fish_use_subcommand -f -l version -d 'the version'\n",
          out);
    for (int i = 0; commands[i]; i++) {
        fprintf(out, "complete -c neyman -n __fish_use_subcommand -f -a %s -d '",
                commands[i]->name);
        put_quoted(out, commands[i]->summary, "\\'", "\\");
        fputs("'\n", out);
        for_options(out, commands[i], fish_option);
        if (takes_commands(commands[i])) {
            fprintf(out, "complete -c neyman -n '__fish_seen_subcommand_from %s' -f -a '",
                    commands[i]->name);
            for (int j = 0; commands[j]; j++) {
                fprintf(out, "%s%s", j ? " " : "", commands[j]->name);
            }
            fputs("'\n", out);
        }
    }
}
