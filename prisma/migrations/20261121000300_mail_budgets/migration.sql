-- CreateTable
CREATE TABLE "mail_count" (
    "subject" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "used" INTEGER NOT NULL,

    CONSTRAINT "mail_count_pkey" PRIMARY KEY ("subject")
);
