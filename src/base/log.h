/* SPDX-License-Identifier: BSD-3-Clause */
/* log.h - talk on stderr, line by line: rank 0 speaks, another rank only when
 * it has something of its own, with "rank N: " in front. */
#ifndef TT_BASE_LOG_H
#define TT_BASE_LOG_H

enum tt_log_level { TT_LOG_QUIET, TT_LOG_INFO, TT_LOG_DEBUG };

/* Who we are ("tutti-train") and which rank speaks; before this call rank 0 of
 * 1 is assumed. */
void tt_log_start(const char *program, int rank, enum tt_log_level level);

/* One whole line; the newline is added.  say: rank 0 only, level info. */
void tt_log_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void tt_log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* "warning: ", rank 0 only, never muted. */
void tt_log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* From any rank. */
void tt_log_rank(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* From any rank, "tutti-train: " in front, never muted: what a program says
 * before it ends with a failure. */
void tt_log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
