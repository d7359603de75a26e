/* SPDX-License-Identifier: Apache-2.0 */
/* The cache on disk: an entry that is damaged, of another key, version, owner or kind of file is not there, and the file goes; a folder
   that cannot be used is done without. */
#define _GNU_SOURCE
#include "base/cache.h"

#include "base/os.h"
#include "jit/code/details_table.h"
#include "jit/code/object.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { NOBODY = 65534 };
static char folder[] = "/tmp/hostwarp-test-XXXXXX";

static struct hw_hash key_of(uint64_t n)
{
    struct hw_hash key;
    hw_hash_init(&key);
    hw_hash_u64(&key, n);
    return key;
}

static char *path_of(uint64_t n)
{
    struct hw_hash key = key_of(n);
    char hex[33];
    hw_hash_hex(&key, hex);
    return hw_sprintf("%s/kernels/%s", folder, hex);
}

static void save(uint64_t n)
{
    struct hw_hash key = key_of(n);
    struct object o = { .facts = { .n_regions = 1, .width = 8 }, .code_bytes = 8 + 64 };
    const uint64_t length = 64;
    struct kabi_keep keep = { 0 };
    hw_vec_push(&o.keeps, keep);
    hw_vec_push(&o.symbols, hw_strdup("sinf"));
    o.code = hw_alloc(o.code_bytes);
    memset(o.code, 0x5a, o.code_bytes);
    memcpy(o.code, &length, sizeof length);
    object_save(&key, &o);
    object_fini(&o);
}

static bool is_there(uint64_t n)
{
    struct hw_hash key = key_of(n);
    struct object o = { 0 };
    bool there = object_load(&key, &o);
    if (there) {
        assert_int_equal(o.facts.n_regions, 1);
        assert_int_equal(o.code_bytes, 72);
        assert_string_equal(o.symbols.v[0], "sinf");
    }
    object_fini(&o);
    return there;
}

/* An instrumented kernel is nothing without its places. */
static void places_are_kept(void **state)
{
    (void)state;
    struct hw_hash key = key_of(77);
    struct details_site *sites = hw_alloc(2 * sizeof *sites);
    sites[0] = (struct details_site){ .bytes = 4, .watched = true, .window = 3, .place = hw_strdup("a.cu:7 in f < a.cu:9") };
    sites[1] = (struct details_site){ .looks = true, .place = hw_strdup("") };
    struct object o = { .details = details_table_new(sites, 2, 5) }, back = { 0 };
    object_save(&key, &o);
    assert_true(object_load(&key, &back));
    assert_non_null(back.details);
    assert_int_equal(back.details->n, 2);
    assert_int_equal(back.details->n_windows, 5);
    assert_true(back.details->looks);
    assert_int_equal(back.details->sites[0].window, 3);
    assert_string_equal(back.details->sites[0].place, "a.cu:7 in f < a.cu:9");
    assert_string_equal(back.details->sites[1].place, "");
    struct hw_str bytes = { 0 };
    details_table_pack(o.details, &bytes);
    for (size_t n = 0; n < bytes.n; n++)
        assert_null(details_table_unpack(bytes.s, n));
    hw_str_fini(&bytes);
    details_table_free(o.details);
    details_table_free(back.details);
    object_fini(&o);
    object_fini(&back);
}

/* What lies under the name of an entry does no harm, and makes room for a new one. */
static void assert_refused_and_replaced(uint64_t n)
{
    char *path = path_of(n);
    struct stat st;
    assert_false(is_there(n));
    assert_int_not_equal(lstat(path, &st), 0);
    save(n);
    assert_true(is_there(n));
    hw_free(path);
}

static void write_raw(const char *path, const char *data, size_t bytes)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, bytes, f), bytes);
    fclose(f);
}

static void every_bit_of_an_entry_counts(void **state)
{
    (void)state;
    save(1);
    assert_true(is_there(1));
    char *path = path_of(1);
    size_t bytes;
    char *whole = hw_file_read(path, &bytes);
    for (size_t at = 0; at < bytes; at++)
        for (int bit = 0; bit < 8; bit += at < 160 ? 1 : 5) {
            whole[at] ^= (char)(1 << bit);
            write_raw(path, whole, bytes);
            whole[at] ^= (char)(1 << bit);
            if (is_there(1))
                fail_msg("bit %d of byte %zu of %zu", bit, at, bytes);
            assert_int_not_equal(access(path, F_OK), 0);
        }
    hw_free(whole);
    hw_free(path);
}

static void entries_of_any_other_length_are_not_there(void **state)
{
    (void)state;
    save(2);
    char *path = path_of(2);
    size_t bytes;
    char *whole = hw_file_read(path, &bytes);
    for (size_t n = 0; n < bytes; n++) {
        write_raw(path, whole, n);
        assert_false(is_there(2));
    }
    write_raw(path, whole, bytes + 1);           /* the zero behind it */
    assert_refused_and_replaced(2);
    hw_free(whole);
    hw_free(path);
}

static void an_entry_of_another_key_is_not_there(void **state)
{
    (void)state;
    save(3);
    char *from = path_of(3), *to = path_of(4);
    assert_int_equal(rename(from, to), 0);
    assert_refused_and_replaced(4);
    hw_free(from);
    hw_free(to);
}

static void files_of_other_kinds_are_not_opened(void **state)
{
    (void)state;
    char *path = path_of(5), *elsewhere = path_of(6);
    hw_free(hw_cache_dir("kernels"));
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_refused_and_replaced(5);
    unlink(path);
    assert_int_equal(symlink("/dev/zero", path), 0);
    assert_refused_and_replaced(5);
    assert_int_equal(rename(path, elsewhere), 0);
    assert_int_equal(symlink(elsewhere, path), 0);               /* a good entry, but somebody else decides what it is */
    assert_refused_and_replaced(5);
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_refused_and_replaced(5);
    hw_free(path);
    hw_free(elsewhere);
}

static void what_others_could_have_written_is_not_used(void **state)
{
    (void)state;
    save(7);
    char *path = path_of(7);
    assert_int_equal(chmod(path, 0664), 0);
    assert_refused_and_replaced(7);
    if (geteuid() == 0) {
        assert_int_equal(chown(path, NOBODY, NOBODY), 0);
        assert_refused_and_replaced(7);
    }
    hw_free(path);
}

static void folders_are_the_owners_alone(void **state)
{
    (void)state;
    struct stat st;
    char *dir = hw_cache_dir("mine");
    assert_non_null(dir);
    assert_int_equal(stat(dir, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    assert_int_equal(chmod(dir, 0777), 0);       /* as an older version would have made it without a umask */
    hw_free(dir);
    dir = hw_cache_dir("mine");
    assert_non_null(dir);
    assert_int_equal(stat(dir, &st), 0);
    assert_int_equal(st.st_mode & 022, 0);
    if (geteuid() == 0) {
        assert_int_equal(chown(dir, NOBODY, NOBODY), 0);
        assert_null(hw_cache_dir("mine"));
        assert_int_equal(rmdir(dir), 0);
    }
    hw_free(dir);
}

/* In a child: it may give up its rights. Returns its exit status, or -1. */
static int in_child(int (*fn)(void))
{
    int status = -1;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(30);
        _exit(fn());
    }
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int write_beyond_the_limit(void)
{
    const struct rlimit small = { 100, 100 };
    setrlimit(RLIMIT_FSIZE, &small);
    save(8);                                     /* neither ends the process nor leaves half a file */
    return is_there(8);
}

static int write_as_nobody(void)
{
    if (geteuid() == 0 && (setgid(NOBODY) || setuid(NOBODY)))
        return 2;
    save(9);
    return is_there(9) ? 1 : 0;
}

static int temporary_files_elsewhere(void)
{
    setenv("TMPDIR", "/nonexistent/folder", 1);
    char *dir = hw_temp_dir("hostwarp-test");
    struct stat st;
    return !dir || stat(dir, &st) || !S_ISDIR(st.st_mode) || (st.st_mode & 077) || rmdir(dir);
}

static void folders_that_cannot_be_used_are_done_without(void **state)
{
    (void)state;
    char *path = path_of(8);
    assert_int_equal(in_child(write_beyond_the_limit), 0);
    assert_int_not_equal(access(path, F_OK), 0);
    if (geteuid() == 0) {                        /* the folder is root's: nobody can neither read nor write it */
        assert_int_equal(in_child(write_as_nobody), 0);
    } else {
        char *dir = hw_cache_dir("kernels");
        assert_int_equal(chmod(dir, 0500), 0);
        assert_int_equal(in_child(write_as_nobody), 0);
        assert_int_equal(chmod(dir, 0700), 0);
        hw_free(dir);
    }
    assert_int_equal(in_child(temporary_files_elsewhere), 0);
    hw_free(path);
}

int main(void)
{
    if (!mkdtemp(folder))
        return 1;
    setenv("HOSTWARP_CACHE", folder, 1);
    alarm(120);                                  /* a pipe in place of an entry once was waited for */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_kept), cmocka_unit_test(every_bit_of_an_entry_counts), cmocka_unit_test(entries_of_any_other_length_are_not_there), cmocka_unit_test(an_entry_of_another_key_is_not_there),
        cmocka_unit_test(files_of_other_kinds_are_not_opened), cmocka_unit_test(what_others_could_have_written_is_not_used), cmocka_unit_test(folders_are_the_owners_alone),
        cmocka_unit_test(folders_that_cannot_be_used_are_done_without),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char *remove = hw_sprintf("rm -rf '%s'", folder);
    bool removed = system(remove) == 0;
    hw_free(remove);
    return failed || !removed;
}
