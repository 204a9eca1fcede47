// For Prisma's own command line alone (`prisma generate`, `prisma migrate deploy`); the service reads its configuration in
// src/config.ts and brings its own connection.
import { defineConfig } from 'prisma/config';

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env['DATABASE_URL'] ?? '' },
});
