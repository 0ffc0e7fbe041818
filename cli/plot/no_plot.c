/* What stands in for charts where the program is built without cairo (NEY_CHARTS=OFF). */
#include "plot/plot.h"

#include <stdio.h>

ney_status plot_check(const char *path, ney_error *err)
{
    *err = (ney_error){.code = NEY_EINVAL};
    snprintf(err->message, sizeof err->message,
             "the chart '%.200s' cannot be written: this program was built without charts "
             "(NEY_CHARTS=OFF)",
             path);
    return NEY_EINVAL;
}

ney_status plot_write(const char *path, const plot_figure *figure, ney_error *err)
{
    (void)figure;
    return plot_check(path, err);
}
