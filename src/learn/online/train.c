/* Online training from data in memory, and from a cache that need not fit into memory. */
#include "data/reader.h"
#include "data/scale.h"
#include "learn/method.h"
#include "learn/online/online.h"

#include <math.h>

ney_status ney_online_train_feed(ney_model **out, const ney_online_rows *rows,
                                 const ney_train_opts *o, ney_train_info *info, ney_error *err)
{
    ney_online r;
    ney_status st = ney_online_init(&r, rows, o, err);
    if (st == NEY_OK && (st = ney_online_run(&r, err)) == NEY_OK) {
        st = ney_online_finish(&r, out, info, err);
    }
    ney_online_deinit(&r);
    return st;
}

ney_status ney_online_train(ney_model **out, ney_partition *p, const ney_train_opts *o,
                            ney_train_info *info, ney_error *err)
{
    ney_feed feed;
    *out = NULL;
    ney_feed_of_data(&feed, &p->env, p->data);
    return ney_online_train_feed(out, &(ney_online_rows){.feed = &feed, .part_of = p->part_of}, o,
                                 info, err);
}

ney_status ney_train_cache(ney_model **out, const ney_env *env, const char *path,
                           const ney_read_opts *read, int scaling, const ney_train_opts *opts,
                           ney_train_info *info, ney_error *err)
{
    const ney_env e = ney_env_of(env);
    ney_train_info ended = {0};
    ney_train_opts o;
    ney_cache *cache = NULL;
    ney_feed feed = {0};
    ney_status st;

    *out = NULL;
    if ((st = ney_request_resolve(&o, opts, NULL, err)) != NEY_OK) {
        return st;
    }
    if (ney_request_of(&o).method != ney_method_at(NEY_METHOD_ONLINE)) {
        return ney_fail(err, NEY_EINVAL, "only the online method learns from a file");
    }
    if (!isnan(o.calibrate)) {
        return ney_fail(err, NEY_EINVAL,
                        "--calibrate applies to rows in memory; these are read from a file one by "
                        "one: raise --memory, or leave it out");
    }
    const ney_read_opts r = ney_read_opts_or_default(read);
    if ((st = ney_cache_open(&cache, &e, path, err)) == NEY_OK &&
        (st = ney_feed_of_cache(&feed, &e, cache, &r, err)) == NEY_OK) {
        feed.scaling = ney_scaling_of(scaling + 1, feed.preprocessing->format);
        st = ney_online_train_feed(out, &(ney_online_rows){.feed = &feed}, &o, &ended, err);
    }
    if (st == NEY_OK && info) {
        *info = ended;
    }
    ney_feed_deinit(&feed);
    ney_cache_close(cache);
    return st;
}
