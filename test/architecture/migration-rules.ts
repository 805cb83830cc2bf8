/**
 * What an upgrade must not do to a database that the previous release still uses. Pure: reads
 * the text of a migration.
 */

export const migrationRules = {
  contraction: 'takes something from the release before, or refuses what it writes',
  rows: 'changes rows in bulk: do it in batches, `where id in (select id ... limit ...)`',
  'not null': 'a new column that must have a value and has no default: the release before cannot insert',
  index: 'builds an index while nobody can write: build it concurrently, in a migration of its own',
  'checked at once':
    'looks at every row while nobody can write: add the constraint `not valid`, and validate it in a migration after this one',
  builder: 'is not written in SQL, so that these rules do not see it',
} as const;
export type MigrationRule = keyof typeof migrationRules;

const contractions =
  /\b(drop (table|column|view|function|constraint)|rename (to|column|constraint)|alter column \S+ (type|set data type|set not null)|truncate)\b/i;
const changedRows = /\b(update (only )?"?\w+"?( (as )?\w+)? set|delete from|merge into)\b/i;
const inBatches = /\bid in \(\s*select id\b.*\blimit\b/is;
const constraint = /\b(check|references)\b/i;
/** Such a default rewrites every existing row. */
const volatileDefault = /\bdefault\b.*\b(random|gen_random_uuid|uuidv[47]|clock_timestamp|nextval)\b/i;
const builder = /\bknex\s*\(|\bknex\.(?!raw\b)\w+/;

/** The rules that a migration, or a function that it calls, breaks. */
export function brokenRules(text: string): MigrationRule[] {
  const code = text.replaceAll(/^\s*(\/?\*|\/\/).*$/gm, '');
  const statements = code
    .replaceAll(/\$\$.*?\$\$/gs, '')
    .replaceAll(/--.*$/gm, '')
    .split(/[;`]/)
    .map((each) => each.replaceAll(/\s+/g, ' '));
  const made = new Set(
    statements.flatMap((each) => /\bcreate table (?:if not exists )?(\w+)/i.exec(each)?.[1] ?? []),
  );
  const clauses = statements.flatMap((each) => clausesOf(each, made));
  const adds = clauses.filter((clause) => /^add\b/i.test(clause));
  const broken: Record<MigrationRule, boolean> = {
    contraction: statements.some((each) => contractions.test(each)),
    rows: statements.some((each) => changedRows.test(each) && !inBatches.test(each)),
    'not null': adds.some((each) => /\bnot null\b/i.test(each) && !/\b(default|generated)\b/i.test(each)),
    index:
      statements.some((each) => buildsIndex(each, made)) ||
      adds.some((each) => /\b(unique|primary key|exclude)\b/i.test(each) && !/\busing index\b/i.test(each)),
    'checked at once':
      adds.some((each) => constraint.test(each) && !/\bnot valid\b/i.test(each)) ||
      adds.some((each) => /^add column\b/i.test(each) && volatileDefault.test(each)) ||
      (/\bnot valid\b/i.test(code) && /\bvalidate constraint\b/i.test(code)),
    builder: builder.test(code),
  };
  return ruleNames.filter((rule) => broken[rule]);
}

const ruleNames: MigrationRule[] = ['contraction', 'rows', 'not null', 'index', 'checked at once', 'builder'];

function buildsIndex(statement: string, made: Set<string>): boolean {
  const [, table] =
    /\bcreate (?:unique )?index (?!concurrently)(?:if not exists )?\S+ on (?:only )?(\w+)/i.exec(statement) ??
    [];
  return table !== undefined && !made.has(table);
}

/** The clauses of a statement that alters a table which existed before. */
function clausesOf(statement: string, made: Set<string>): string[] {
  const [, table, rest] = /\balter table (?:if exists |only )*(\w+)\s+(.*)/is.exec(statement) ?? [];
  return table === undefined || rest === undefined || made.has(table) ? [] : splitOutsideParentheses(rest);
}

function splitOutsideParentheses(text: string): string[] {
  const clauses = [''];
  let depth = 0;
  for (const character of text) {
    depth += character === '(' ? 1 : character === ')' ? -1 : 0;
    if (character === ',' && depth === 0) {
      clauses.push('');
    } else {
      clauses[clauses.length - 1] += character;
    }
  }
  return clauses.map((clause) => clause.trim());
}
