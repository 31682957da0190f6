/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of a race: markup that holds together, whatever the texts in it are. */
#include "race_fixture.h"
#include "testing.h"

#include "html.h"
#include "race_html.h"
#include "race_json.h"

#include "err.h"

#include <ctype.h>
#include <errno.h>

/* Ends a script, an attribute, a string of JSON, a line of JavaScript. */
#define HOSTILE "</script><script>alert(1)</script><!--\"'&amp;\\\xe2\x80\xa8"

static char *page_of(const struct race_result *const *results, size_t n)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	assert_int_equal(race_html(results, n, out), 0);
	fclose(out);
	return text;
}

static char *page_of_one(const struct race_result *r)
{
	return page_of(&r, 1);
}

static bool contains(const char *page, const char *text)
{
	return strstr(page, text) != NULL;
}

static size_t count(const char *page, const char *text)
{
	size_t n = 0;

	for (const char *p = page; (p = strstr(p, text)); p += strlen(text))
		n++;
	return n;
}

struct tag {
	char name[16];
	const char *text, *end; /* behind its name; its '>' */
	bool closing;
};

/* The next tag from *p on, which is moved behind it; false at the end of the page. */
static bool next_tag(const char **p, struct tag *ret)
{
	const char *at = strchr(*p, '<');
	size_t len = 0;

	if (!at)
		return false;
	at++;
	ret->closing = *at == '/';
	at += ret->closing;
	while (isalnum((unsigned char)at[len]) || at[len] == '!')
		len++;
	assert_in_range(len, 1, sizeof(ret->name) - 1);
	snprintf(ret->name, sizeof(ret->name), "%.*s", (int)len, at);
	ret->text = at + len;
	ret->end = ret->text + strcspn(ret->text, "<>");
	assert_int_equal(*ret->end, '>');
	*p = ret->end + 1;
	return true;
}

static bool has(const struct tag *t, const char *text)
{
	return memmem(t->text, (size_t)(t->end - t->text), text, strlen(text)) != NULL;
}

/* Every element is closed, in order; nothing is loaded from elsewhere. Returns how many scripts. */
static int check_markup(const char *page)
{
	char open[32][16];
	struct tag t;
	int depth = 0, scripts = 0;

	for (const char *p = page; next_tag(&p, &t);) {
		if (!strcmp(t.name, "!DOCTYPE") || !strcmp(t.name, "meta"))
			continue;
		if (t.closing) {
			assert_true(depth > 0);
			assert_string_equal(open[--depth], t.name);
			continue;
		}
		assert_false(has(&t, " src=") || has(&t, "href=\"h"));
		assert_true(depth < 32);
		strcpy(open[depth++], t.name);
		scripts += !strcmp(t.name, "script");
		/* Their text is no markup, up to the end tag. */
		if (!strcmp(t.name, "script") || !strcmp(t.name, "style")) {
			p = strstr(p, !strcmp(t.name, "script") ? "</script" : "</style");
			assert_non_null(p);
		}
	}
	assert_int_equal(depth, 0);
	return scripts;
}

static void markup_holds_together(void **state)
{
	struct race_result r;
	char *page;

	race_fixture_tabs(&r);
	page = page_of_one(&r);
	assert_int_equal(check_markup(page), 3);
	assert_int_equal(count(page, "<h1>"), 1);
	assert_true(contains(page, "default-src 'none'"));
	free(page);
	race_result_free(&r);
}

static void every_backend_and_run_has_its_row(void **state)
{
	struct race_result r;
	char *page, row[256];

	race_fixture(&r);
	page = page_of_one(&r);
	for (size_t i = 0; i < r.n_summary; i++) {
		snprintf(row, sizeof(row), "<tr><th scope=\"row\">%s</th>", r.summary[i].backend);
		assert_int_equal(count(page, row), 1 + r.summary[i].runs);
	}
	free(page);
	race_result_free(&r);
}

static void words_are_there_without_a_script(void **state)
{
	struct race_result r;
	char *page, *end;

	race_fixture(&r);
	page = page_of_one(&r);
	end = strstr(page, "<script");
	assert_non_null(end);
	*end = '\0';
	assert_true(contains(page, "<strong>zram:lzo-rle</strong>"));
	assert_true(contains(page, r.verdict.why));
	assert_true(contains(page, r.verdict.unknown));
	assert_true(contains(page, r.plan.command_line));
	assert_true(contains(page, r.machine.cpu_model));
	for (size_t i = 0; i < r.n_checks; i++)
		assert_true(contains(page, r.checks[i].detail));
	assert_true(contains(page, "<noscript>"));
	free(page);
	race_result_free(&r);
}

static void a_backend_that_could_not_run_says_why(void **state)
{
	struct race_result r;
	char *page;

	race_fixture(&r);
	page = page_of_one(&r);
	assert_true(contains(page, ">this kernel has no zswap (CONFIG_ZSWAP is not set)</td>"));
	free(page);

	/* And when all of them could not. */
	for (size_t i = 0; i < r.n_summary; i++)
		strcpy(r.summary[i].unavailable, "no reason");
	page = page_of_one(&r);
	check_markup(page);
	assert_int_equal(count(page, ">no reason</td>"), FIXTURE_BACKENDS);
	free(page);
	race_result_free(&r);
}

static void columns_without_a_known_value_are_left_out(void **state)
{
	struct race_result build, tabs;
	char *page;

	race_fixture(&build);
	race_fixture_tabs(&tabs);
	page = page_of_one(&build);
	assert_false(contains(page, ">FPS avg</th>"));
	free(page);
	page = page_of_one(&tabs);
	assert_true(contains(page, ">FPS avg</th>"));
	free(page);
	race_result_free(&build);
	race_result_free(&tabs);
}

static void several_results_have_a_list_of_links(void **state)
{
	struct race_result a, b;
	const struct race_result *both[] = {&a, &b};
	char *page;

	race_fixture(&a);
	race_fixture_tabs(&b);
	page = page_of(both, 2);
	check_markup(page);
	assert_true(contains(page, "href=\"#result-1\""));
	assert_int_equal(count(page, "<article"), 2);
	free(page);
	page = page_of_one(&a);
	assert_false(contains(page, "<nav"));
	free(page);
	race_result_free(&a);
	race_result_free(&b);
}

static void hostile_result(struct race_result *r)
{
	race_fixture(r);
	strcpy(r->summary[1].backend, HOSTILE);
	strcpy(r->summary[5].unavailable, HOSTILE);
	strcpy(r->trials[1].backend, HOSTILE);
	strcpy(r->trials[1].detail, HOSTILE);
	strcpy(r->checks[0].name, "</script>");
	strcpy(r->checks[0].detail, HOSTILE);
	strcpy(r->machine.cpu_model, HOSTILE);
	strcpy(r->plan.workload, HOSTILE);
	strcpy(r->plan.command_line, HOSTILE);
	strcpy(r->verdict.backend, HOSTILE);
	strcpy(r->verdict.why, HOSTILE);
	strcpy(r->verdict.unknown, HOSTILE);
}

static void hostile_texts_stay_text(void **state)
{
	struct race_result r;
	const struct race_result *twice[] = {&r, &r};
	char *page;

	hostile_result(&r);
	page = page_of(twice, 2);
	assert_int_equal(check_markup(page), 3);
	assert_false(contains(page, "<script>alert"));
	assert_false(contains(page, "<!--"));
	assert_true(contains(page, "&lt;/script&gt;&lt;script&gt;alert(1)"));
	free(page);
	race_result_free(&r);
}

static void data_of_the_page_are_the_result(void **state)
{
	struct race_result r, again;
	struct err e = {0};
	char *page, *data, *end;

	hostile_result(&r);
	page = page_of_one(&r);
	data = strstr(page, "id=\"data\">[");
	assert_non_null(data);
	data += strlen("id=\"data\">[");
	end = strstr(data, "]</script>");
	assert_non_null(end);
	assert_int_equal(race_json_read(data, (size_t)(end - data), &again, &e), 0);
	assert_string_equal(again.summary[1].backend, HOSTILE);
	assert_int_equal(again.n_trials, r.n_trials);
	free(page);
	race_result_free(&again);
	race_result_free(&r);
}

static void a_result_with_nothing_in_it(void **state)
{
	struct race_result empty = {.plan.budget_bytes = -1};
	char *page = page_of_one(&empty);

	check_markup(page);
	assert_true(contains(page, "No backend can be named."));
	free(page);
}

static void an_error_of_the_output_is_told(void **state)
{
	struct race_result r;
	const struct race_result *one = &r;
	FILE *full = fopen("/dev/full", "w");

	if (!full)
		skip();
	race_fixture(&r);
	assert_int_equal(race_html(&one, 1, full), -EIO);
	fclose(full);
	race_result_free(&r);
}

static void text_is_escaped_for_content_and_attributes(void **state)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	html_text(out, "<a href=\"x\">&amp;'</a>");
	fclose(out);
	assert_string_equal(text, "&lt;a href=&quot;x&quot;&gt;&amp;amp;'&lt;/a&gt;");
	free(text);
}

static void json_loses_only_blanks_between_values(void **state)
{
	static const char json[] = "{\n  \"a <b\": \"x \\\" y\\\\\",\n  \"c\": [1, 2]\n}\n";
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	html_json(out, json, strlen(json));
	fclose(out);
	assert_string_equal(text, "{\"a \\u003cb\":\"x \\\" y\\\\\",\"c\":[1,2]}");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(markup_holds_together),
		cmocka_unit_test(every_backend_and_run_has_its_row),
		cmocka_unit_test(words_are_there_without_a_script),
		cmocka_unit_test(a_backend_that_could_not_run_says_why),
		cmocka_unit_test(columns_without_a_known_value_are_left_out),
		cmocka_unit_test(several_results_have_a_list_of_links),
		cmocka_unit_test(hostile_texts_stay_text),
		cmocka_unit_test(data_of_the_page_are_the_result),
		cmocka_unit_test(a_result_with_nothing_in_it),
		cmocka_unit_test(an_error_of_the_output_is_told),
		cmocka_unit_test(text_is_escaped_for_content_and_attributes),
		cmocka_unit_test(json_loses_only_blanks_between_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
