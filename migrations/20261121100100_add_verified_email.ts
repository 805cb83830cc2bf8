import type { Knex } from 'knex';

/** Whether the identity provider has verified a person's e-mail address: only then may it identify them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table users add column email_verified boolean not null default false;
    create index users_by_email on users (lower(email));
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index users_by_email; alter table users drop column email_verified');
}
