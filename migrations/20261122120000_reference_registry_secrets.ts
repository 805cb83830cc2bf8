import type { Knex } from 'knex';

/** `registry_secret` of an entry was the bare name of a secret; it becomes `${NAME}` like every reference. */
export async function up(knex: Knex): Promise<void> {
  await rewrite(
    knex,
    `'\${' || (shape ->> 'registry_secret') || '}'`,
    `shape ->> 'registry_secret' not like '$%'`,
  );
}

export async function down(knex: Knex): Promise<void> {
  await rewrite(
    knex,
    `trim(both '\${}' from shape ->> 'registry_secret')`,
    `shape ->> 'registry_secret' like '$%'`,
  );
}

async function rewrite(knex: Knex, value: string, condition: string): Promise<void> {
  await knex.raw(
    `update mcp_servers set shape = jsonb_set(shape, '{registry_secret}', to_jsonb(${value}))
     where shape ->> 'type' = 'image' and ${condition}`,
  );
}
